import type { Estimator } from "../ports/estimator.js";

/** Estimates are whole numbers: of many lines together they are off by less than of each alone. */
const LINES_AT_ONCE = 16;

/** How many lines of a text come to the limit: nearly what they come to together. `ends`: where each one ends. */
export function linesWithin(
  text: string,
  ends: readonly number[],
  { estimator, limit }: { readonly estimator: Estimator; readonly limit: number },
): number {
  const startOf = (line: number): number => (line === 0 ? 0 : (ends[line - 1] ?? text.length) + 1);
  let lines = 0;
  let left = limit;
  for (let step = LINES_AT_ONCE; step > 0 && lines < ends.length;) {
    const next = Math.min(lines + step, ends.length);
    const tokens = estimator.block(text.slice(startOf(lines), startOf(next)));
    if (tokens <= left) {
      lines = next;
      left -= tokens;
    } else step = Math.floor(step / 2);
  }
  return lines;
}
