import type { LineRange } from "../line-range.js";
import type { FilePart, ReadFile } from "./choose-parts.js";

/** Gaps no longer than this are filled: a marker would take as much room. */
const FILLED_LINES = 2;

/** Parts that touch, or nearly do, as one. */
export function rangesOf(parts: readonly FilePart[], { lines }: ReadFile): readonly LineRange[] {
  const ranges: { first: number; last: number }[] = [];
  for (const { first, last } of parts) {
    const before = ranges.at(-1);
    if (
      before !== undefined &&
      first - before.last - 1 <= FILLED_LINES &&
      isKnown(lines, before.last, first)
    ) {
      before.last = Math.max(before.last, last);
    } else ranges.push({ first, last });
  }
  return ranges;
}

const isKnown = (lines: ReadFile["lines"], from: number, to: number): boolean => {
  for (let line = from; line <= to; line += 1) if (!lines.has(line)) return false;
  return true;
};

/** Lines of a file that is shown in part, as they stand. */
export interface ShownPart {
  readonly startLine: number;
  readonly endLine: number;
  readonly content: string;
}

/**
 * A whole file as the read tool shows it. Of any other the lines of each range as they stand, so that nothing of what
 * is shown has to be left out of an edit: a number before each line would take a sixth of the room, too.
 */
export function showParts(
  { lines: texts, isWhole: hasAll }: ReadFile,
  ranges: readonly LineRange[],
): string | readonly ShownPart[] {
  const shown = ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  const isWhole = hasAll && shown === texts.size;
  const parts = ranges.map(({ first, last }) => {
    const lines: string[] = [];
    for (let line = first; line <= last; line += 1) {
      const text = texts.get(line) ?? "";
      lines.push(isWhole ? `${line}\t${text}` : text);
    }
    return { startLine: first, endLine: last, content: lines.join("\n") };
  });
  return isWhole ? (parts[0]?.content ?? "") : parts;
}
