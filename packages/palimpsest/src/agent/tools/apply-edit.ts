export interface TextEdit {
  readonly oldText: string;
  readonly newText: string;
  /** Every place, not just the only one. */
  readonly isEverywhere: boolean;
}

export type AppliedEdit =
  | {
      readonly kind: "changed";
      readonly text: string;
      readonly count: number;
      /** Where the first replaced part begins and ends in the new text. */
      readonly start: number;
      readonly end: number;
    }
  | { readonly kind: "missing" }
  | { readonly kind: "ambiguous"; readonly count: number };

/**
 * Replaces one text by another. Line breaks of the old text fit those of Windows too, and in a file that has more
 * of them than others the new text gets them. What is not replaced stays as it is, character by character.
 */
export function applyEdit(text: string, { oldText, newText, isEverywhere }: TextEdit): AppliedEdit {
  const plain = withoutReturns(text);
  const wanted = plain === undefined ? oldText : oldText.replaceAll("\r\n", "\n");
  const found = placesOf(plain?.text ?? text, wanted);
  if (found.length === 0) return { kind: "missing" };
  if (found.length > 1 && !isEverywhere) return { kind: "ambiguous", count: found.length };
  const original = plain?.original ?? ((at: number) => at);
  const inserted = plain?.isWindows === true ? newText.replaceAll(/\r?\n/g, "\r\n") : newText;
  const pieces: string[] = [];
  let done = 0;
  for (const at of found) {
    pieces.push(text.slice(done, original(at)), inserted);
    done = original(at + wanted.length);
  }
  pieces.push(text.slice(done));
  const start = original(found[0] ?? 0);
  return {
    kind: "changed",
    text: pieces.join(""),
    count: found.length,
    start,
    end: start + inserted.length,
  };
}

/** Where the wanted text begins, one after the other. */
function placesOf(text: string, wanted: string): readonly number[] {
  const places: number[] = [];
  if (wanted === "") return places;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) places.push(at);
  return places;
}

interface PlainText {
  readonly text: string;
  /** The place in the original of a place in `text`. */
  readonly original: (at: number) => number;
  /** More lines end as on Windows than do not. */
  readonly isWindows: boolean;
}

/** The text with Windows line ends made plain; undefined where it has none. */
function withoutReturns(text: string): PlainText | undefined {
  /** Places of `\n` in the plain text that had a `\r` before them, in order. */
  const removed: number[] = [];
  for (let at = text.indexOf("\r\n"); at >= 0; at = text.indexOf("\r\n", at + 2)) {
    removed.push(at - removed.length);
  }
  if (removed.length === 0) return undefined;
  const plain = text.replaceAll("\r\n", "\n");
  let breaks = 0;
  for (let at = plain.indexOf("\n"); at >= 0; at = plain.indexOf("\n", at + 1)) breaks += 1;
  return {
    text: plain,
    original: (at) => at + countBelow(removed, at),
    isWindows: removed.length * 2 > breaks,
  };
}

/** How many of the ordered numbers are smaller. */
function countBelow(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? Infinity) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
