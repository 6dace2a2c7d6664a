/** What a reader may take for the end of a line: quoted text must not get out from after its number. */
const LINE_BREAKS = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g;
/** Longer lines count as several, so that every part of a text can be asked for. */
const MAX_LINE = 2_000;

/** The lines of a text; a long one is several. They are the same whenever the text is. */
export interface NumberedLines {
  readonly count: number;
  /** From 1 on. */
  readonly line: (number: number) => string;
  /** The line that holds the character, and where in it. */
  readonly placeOf: (offset: number) => { readonly number: number; readonly column: number };
}

export function numberedLines(text: string): NumberedLines {
  const starts: number[] = [];
  const ends: number[] = [];
  let from = 0;
  const add = (end: number, next: number): void => {
    while (end - from > MAX_LINE) {
      const cut = wholeCharacter(text, from + MAX_LINE);
      starts.push(from);
      ends.push(cut);
      from = cut;
    }
    starts.push(from);
    ends.push(end);
    from = next;
  };
  for (const match of text.matchAll(LINE_BREAKS)) add(match.index, match.index + match[0].length);
  if (from < text.length || text === "") add(text.length, text.length);
  return {
    count: starts.length,
    line: (number) => text.slice(starts[number - 1] ?? 0, ends[number - 1] ?? 0),
    placeOf(offset) {
      let [low, high] = [0, starts.length - 1];
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        if ((starts[middle] ?? 0) <= offset) low = middle;
        else high = middle - 1;
      }
      return { number: low + 1, column: offset - (starts[low] ?? 0) };
    },
  };
}

/** The place, or the one before it where it would part a character. */
export function wholeCharacter(text: string, at: number): number {
  const before = text.charCodeAt(at - 1);
  return before >= 0xd800 && before <= 0xdbff ? at - 1 : at;
}

/** As it is shown: the number, a tab, the line. */
export const numbered = (number: number, line: string): string => `${number}\t${line}`;
