import type { GridPart, Item, Tone } from "../state/item.js";
import { plural } from "../../terminal.js";
import { cutLine, widthOf, wrapLines } from "../text/width.js";
import type { Theme } from "../theme.js";
import { blockLines } from "./block-lines.js";
import type { Look } from "./look.js";
import { markdownLines } from "./markdown-lines.js";

/** Longer prompts are shown by their beginning; they are sent whole. */
const MOST_PROMPT_LINES = 12;

/** What is finished, as it is written into the scrollback. */
export function itemLines(item: Item, look: Look): readonly string[] {
  const { theme, glyphs, width } = look;
  switch (item.kind) {
    case "prompt": {
      const lines = wrapLines(item.text.trimEnd(), Math.max(1, width - 2));
      const shown = lines.slice(0, MOST_PROMPT_LINES);
      const more = lines.length - shown.length;
      return [
        "",
        ...shown.map(
          (line, index) => `${index === 0 ? theme.person(glyphs.prompt) : " "} ${theme.bold(line)}`,
        ),
        ...(more > 0 ? [theme.dim(`  … ${plural(more, "more line")}`)] : []),
      ];
    }
    case "answer":
      return [...(item.hasGap ? [""] : []), ...blockLines(item.block, look)];
    case "thinking":
      return [
        "",
        ...wrapLines(item.text, Math.max(1, width - 2)).map((line) => theme.dim(`${glyphs.dot} ${line}`)),
      ];
    case "tool":
      return toolLines(item, look);
    case "notice": {
      const paint = painted(item.tone, theme);
      return wrapLines(item.text, Math.max(1, width - 2)).map((line, index) =>
        paint(`${index === 0 ? glyphs.dot : " "} ${line}`),
      );
    }
    case "output":
      return [
        "",
        ...(item.isMarkdown === true
          ? markdownLines(item.text, look)
          : item.text.split("\n").flatMap((line) => hangingLines(line, width))),
      ];
    case "grid":
      return gridLines(item, look);
    case "compaction":
      return [
        "",
        ...wrapLines(item.text, Math.max(1, width - 2)).map((line, index) =>
          theme.accent(`${index === 0 ? glyphs.bullet : " "} ${line}`),
        ),
      ];
  }
}

const WIDEST_NAME = 20;

/** A line of two columns goes on under its second. */
function hangingLines(line: string, width: number): readonly string[] {
  const [head = ""] = /^\S+ {2,}/.exec(line) ?? [];
  if (head === "" || head.length > WIDEST_NAME || head.length * 2 > width) return wrapLines(line, width);
  const lines = wrapLines(line.slice(head.length), width - head.length);
  return lines.map((text, index) => (index === 0 ? head : " ".repeat(head.length)) + text);
}

function toolLines(item: Extract<Item, { readonly kind: "tool" }>, look: Look): readonly string[] {
  const { theme, glyphs, width } = look;
  const mark = { done: theme.good, failed: theme.bad, denied: theme.warn }[item.outcome](glyphs.bullet);
  const seconds =
    item.milliseconds >= 1000 ? theme.dim(` ${glyphs.dot} ${(item.milliseconds / 1000).toFixed(1)} s`) : "";
  const how = { done: "", failed: " failed", denied: " was not permitted" }[item.outcome];
  const head =
    cutLine(
      `${mark} ${theme.bold(item.name)}${how} ${theme.dim(item.about)}`,
      Math.max(8, width - widthOf(seconds)),
    ) + seconds;
  const lines = item.preview.map(({ text, change }, index) => {
    const lead = index === 0 ? `  ${glyphs.corner} ` : "    ";
    const sign = change === undefined ? "" : change === "added" ? "+ " : "- ";
    const paint = change === undefined ? theme.dim : change === "added" ? theme.added : theme.removed;
    return cutLine(theme.dim(lead) + paint(sign + text), width);
  });
  const more =
    item.more > 0 ? [theme.dim(`    … ${plural(item.more, "more line")} ${glyphs.dot} ctrl-o`)] : [];
  return ["", head, ...lines, ...more];
}

const painted = (tone: Tone, theme: Theme): ((text: string) => string) =>
  ({ plain: theme.dim, good: theme.good, warn: theme.warn, bad: theme.bad })[tone];

const GRID_ROWS = 3;
const MOST_GRID_COLUMNS = 60;

/** Each cell is a share of the room until the context is compacted: what fills it, and what is left. */
function gridLines(
  { parts, limit }: Extract<Item, { readonly kind: "grid" }>,
  look: Look,
): readonly string[] {
  const { theme, width } = look;
  const columns = Math.min(MOST_GRID_COLUMNS, width);
  const cells = columns * GRID_ROWS;
  const kinds = kindsOf(parts);
  const drawn: string[] = [];
  for (const [index, { tokens }] of kinds.entries()) {
    const count = Math.min(
      cells - drawn.length,
      Math.max(tokens > 0 ? 1 : 0, Math.round((tokens / limit) * cells)),
    );
    drawn.push(
      ...Array.from({ length: count }, () => (theme.parts[index % theme.parts.length] ?? theme.dim)("█")),
    );
  }
  while (drawn.length < cells) drawn.push(theme.dim("░"));
  const rows = Array.from({ length: GRID_ROWS }, (_, row) =>
    drawn.slice(row * columns, (row + 1) * columns).join(""),
  );
  const legend = [
    ...kinds.map(
      ({ name }, index) => `${(theme.parts[index % theme.parts.length] ?? theme.dim)("█")} ${name}`,
    ),
    `${theme.dim("░")} left until it is compacted`,
  ];
  return ["", ...rows, ...inRows(legend, width)];
}

/** One beside the other, and none parted where a row ends. */
function inRows(entries: readonly string[], width: number): readonly string[] {
  const rows: string[] = [];
  for (const entry of entries) {
    const row = rows.at(-1);
    if (row !== undefined && widthOf(row) + 2 + widthOf(entry) <= width)
      rows[rows.length - 1] = `${row}  ${entry}`;
    else rows.push(entry);
  }
  return rows.flatMap((row) => wrapLines(row, width));
}

/** Names of tools apart are too many colours. */
function kindsOf(parts: readonly GridPart[]): readonly GridPart[] {
  const sums = new Map<string, number>();
  for (const { name, tokens } of parts) {
    const kind = /^(calls of|results of|attached)/.exec(name)?.[1] ?? name;
    const shown = kind.startsWith("calls") ? "calls" : kind.startsWith("results") ? "results" : kind;
    sums.set(shown, (sums.get(shown) ?? 0) + tokens);
  }
  return [...sums].map(([name, tokens]) => ({ name, tokens }));
}
