/** A text, or as much of its head as fits. */
export interface CutText {
  /** With the marker at its end where something is missing. */
  readonly text: string;
  /** The same without the marker. */
  readonly head: string;
  /** How many lines of the original it shows whole. */
  readonly lines: number;
  readonly isCut: boolean;
}

export interface CutOptions {
  /** Whether a text, marker included, fits. What fits still fits when it is made shorter. */
  readonly fits: (text: string) => boolean;
  /** What stands in the place of the rest, after so many lines. */
  readonly marker: (lines: number) => string;
  /** How many lines will probably fit: a good guess saves looking. */
  readonly guess?: (text: string, lineEnds: readonly number[]) => number;
  /** More follows after the text, so the marker is due even if all of it fits. */
  readonly isPart?: boolean;
}

/**
 * The whole text if it fits, otherwise whole lines from its head and a marker; of a first line that is too long
 * alone, its beginning. Undefined where not even the marker fits.
 */
export function cutText(text: string, options: CutOptions): CutText | undefined {
  const { fits, marker, guess, isPart = false } = options;
  const ends = lineEnds(text);
  if (!isPart && fits(text)) return { text, head: text, lines: ends.length, isCut: false };
  const cutAt = (end: number, lines: number): CutText => {
    const head = headOf(text, end);
    return { text: end === 0 ? marker(lines) : `${head}\n${marker(lines)}`, head, lines, isCut: true };
  };
  const cutBehind = (lines: number): CutText => cutAt(ends[lines - 1] ?? 0, lines);
  const fitting = (count: number): boolean => fits(cutBehind(count).text);
  const lines = largest(ends.length, fitting, guess?.(text, ends));
  if (lines > 0) return cutBehind(lines);
  const cut = cutAt(
    largest(ends[0] ?? 0, (count) => fits(cutAt(count, 0).text)),
    0,
  );
  return fits(cut.text) ? cut : undefined;
}

/** So many characters, but never half of one. */
function headOf(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

/** Where each line ends, its break not counted. */
function lineEnds(text: string): readonly number[] {
  if (text === "") return [];
  const ends: number[] = [];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) ends.push(at);
  ends.push(text.length);
  return ends;
}

/**
 * The largest number from 1 to `limit` for which it holds; 0 for none. By steps that double, away from the guess,
 * then by halving.
 */
function largest(limit: number, holds: (value: number) => boolean, guess = 1): number {
  let low = 0;
  let high = limit;
  let at = Math.max(1, Math.min(Math.trunc(guess) || 1, limit));
  for (let step = 1; low < high; step *= 2) {
    const isFitting = holds(at);
    if (isFitting) low = at;
    else high = at - 1;
    const isTurning = isFitting ? high < limit : low > 0;
    if (isTurning) break;
    at = isFitting ? Math.min(limit, at + step) : Math.max(1, at - step);
  }
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
