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

/** The lines as the read tool shows them, with a word for each gap. */
export function showParts(file: ReadFile, ranges: readonly LineRange[]): string {
  const shown: string[] = [];
  let next = 1;
  for (const { first, last } of ranges) {
    if (first > next) shown.push(gap(next, first - 1));
    for (let line = first; line <= last; line += 1) shown.push(`${line}\t${file.lines.get(line) ?? ""}`);
    next = last + 1;
  }
  const end = [...file.lines.keys()].at(-1) ?? 0;
  if (next <= end || !file.isWhole) shown.push(`[what stands from line ${next} on is left out]`);
  return shown.join("\n");
}

const gap = (first: number, last: number): string =>
  first === last ? `[line ${first} is left out]` : `[lines ${first} to ${last} are left out]`;
