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
  /** More follows behind the text, so the marker is due even if all of it fits. */
  readonly isPart?: boolean;
}

/**
 * The whole text if it fits, otherwise whole lines from its head and a marker; of a first line that is too long
 * alone, its beginning. Undefined where not even the marker fits.
 */
export function cutText(text: string, { fits, marker, isPart = false }: CutOptions): CutText | undefined {
  const ends = lineEnds(text);
  if (!isPart && fits(text)) return { text, head: text, lines: ends.length, isCut: false };
  const cutAt = (end: number, lines: number): CutText => {
    const head = headOf(text, end);
    return { text: end === 0 ? marker(lines) : `${head}\n${marker(lines)}`, head, lines, isCut: true };
  };
  const cutBehind = (lines: number): CutText => cutAt(ends[lines - 1] ?? 0, lines);
  const lines = largest(ends.length, (count) => fits(cutBehind(count).text));
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

/** The largest number from 1 to `limit` for which it holds, by halving; 0 for none. */
function largest(limit: number, holds: (value: number) => boolean): number {
  let low = 0;
  let high = limit;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
