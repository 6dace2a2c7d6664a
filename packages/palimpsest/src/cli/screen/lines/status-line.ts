import { thousands } from "../state/compaction-words.js";
import type { Status } from "../state/status.js";
import { cutLine, widthOf } from "../text/width.js";
import type { Look } from "./look.js";

/** Cents, and more places where that would be nothing. */
const money = (amount: number): string =>
  `$${amount.toFixed(amount === 0 || amount >= 0.01 ? 2 : amount >= 0.001 ? 3 : 4)}`;

/** `14:32`, in the time of the person's clock. */
const clock = (at: number): string => {
  const date = new Date(at);
  return `${String(date.getHours()).padStart(2, "0")}:${String(date.getMinutes()).padStart(2, "0")}`;
};

interface Part {
  readonly text: string;
  /** Where there is no room for all, the lowest go first. */
  readonly weight: number;
}

/** The line that is always in sight: as much of it as fits, what matters most first. */
export function statusLine(status: Status, { width, theme, glyphs }: Look): string {
  const { tokens, limit, pressure, warmUntil, isWarm, next, compacting, spent, model, mode } = status;
  const left = Math.round(100 * Math.max(0, 1 - tokens / limit));
  const meter = `${thousands(tokens)}/${thousands(limit)} ${left}% left`;
  const paint = pressure === "none" ? theme.dim : pressure === "warn" ? theme.warn : theme.bad;
  const parts: readonly Part[] = [
    { text: theme.dim(model.replace(/^claude-/, "")), weight: 4 },
    { text: paint(meter), weight: 9 },
    ...(warmUntil === undefined
      ? []
      : [
          {
            text: isWarm
              ? theme.good(`warm until ${clock(warmUntil)}`)
              : theme.warn(`cold since ${clock(warmUntil)}`),
            weight: 8,
          },
        ]),
    ...(next === undefined
      ? []
      : [{ text: theme.dim(`next ${money(next.warm)}, cold ${money(next.cold)}`), weight: 7 }]),
    ...(compacting === undefined
      ? []
      : [
          {
            text: theme.dim(
              `compact ${compacting.dollars === undefined ? "" : `${money(compacting.dollars)} `}drops ${thousands(compacting.dropped)}`,
            ),
            weight: 6,
          },
        ]),
    { text: theme.dim(`${money(spent)} so far`), weight: 5 },
    ...(mode === "default" ? [] : [{ text: theme.accent(mode), weight: 8 }]),
  ];
  const separator = theme.dim(` ${glyphs.dot} `);
  let kept = [...parts];
  const joined = (): string => kept.map(({ text }) => text).join(separator);
  while (kept.length > 1 && widthOf(joined()) > width) {
    const least = kept.reduce((low, part) => (part.weight < low.weight ? part : low));
    kept = kept.filter((part) => part !== least);
  }
  return cutLine(joined(), width);
}
