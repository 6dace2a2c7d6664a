import { numbered, numberedLines, wholeCharacter, type NumberedLines } from "./numbered-lines.js";

/** Of one line; more where its places are further apart. */
const SHOWN = 400;
const MAX_SHOWN = 1_200;
const BEFORE = 100;

export interface Excerpt {
  readonly text: string;
  readonly lines: number;
}

export interface ExcerptOptions {
  /** Offsets that must be seen. */
  readonly at: readonly number[];
  readonly contextLines: number;
}

/** The lines of the text around some places, numbered; long lines are cut around them. */
export function excerpt(text: string, { at, contextLines }: ExcerptOptions): Excerpt {
  const lines = numberedLines(text);
  const columns = new Map<number, readonly number[]>();
  const shown = new Set<number>();
  for (const offset of at) {
    const { number, column } = lines.placeOf(offset);
    columns.set(number, [...(columns.get(number) ?? []), column]);
    const last = Math.min(lines.count, number + contextLines);
    for (let near = Math.max(1, number - contextLines); near <= last; near += 1) shown.add(near);
  }
  let previous: number | undefined;
  const rows = [...shown]
    .toSorted((left, right) => left - right)
    .flatMap((number) => {
      const row = numbered(number, cut(lines, number, columns.get(number)));
      const hasGap = previous !== undefined && number > previous + 1;
      previous = number;
      return hasGap ? ["…", row] : [row];
    });
  return { text: rows.join("\n"), lines: lines.count };
}

function cut(lines: NumberedLines, number: number, columns: readonly number[] = [0]): string {
  const line = lines.line(number);
  if (line.length <= SHOWN) return line;
  const [first, last] = [Math.min(...columns), Math.max(...columns)];
  const length = Math.min(MAX_SHOWN, last - first + SHOWN);
  const from = wholeCharacter(line, Math.max(0, Math.min(first - BEFORE, line.length - length)));
  const to = wholeCharacter(line, Math.min(line.length, from + length));
  return `${from > 0 ? "…" : ""}${line.slice(from, to)}${to < line.length ? "…" : ""}`;
}
