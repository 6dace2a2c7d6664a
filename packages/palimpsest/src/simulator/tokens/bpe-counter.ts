import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

/** Counts the tokens of a text with a real tokenizer. */
export interface TokenCounter {
  count(text: string): number;
}

/** Byte-pair merging is quadratic in the length of one run of characters of a kind: long ones are cut. */
const LONGEST_RUN = 400;
const LONG_RUN = new RegExp(`([^\\s]{${LONGEST_RUN},}|\\s{${LONGEST_RUN},})`);
const PIECE = new RegExp(`[^]{1,${LONGEST_RUN}}`, "g");
const options = { disallowedSpecial: new Set<string>() };

export function createBpeCounter(): TokenCounter {
  const countAll = (pieces: readonly string[]): number =>
    pieces.reduce((sum, piece) => sum + (piece === "" ? 0 : countTokens(piece, options)), 0);
  return {
    count(text) {
      if (!hasLongRun(text)) return countTokens(text, options);
      // Splitting by a group keeps what it matched, at the odd places.
      const parts = text.split(LONG_RUN);
      return parts.reduce(
        (sum, part, index) => sum + countAll(index % 2 === 0 ? [part] : (part.match(PIECE) ?? [])),
        0,
      );
    },
  };
}

/** Looks only at every place that a long run would have to cover, and at the run around it. */
export function hasLongRun(text: string): boolean {
  for (let at = LONGEST_RUN - 1; at < text.length; at += LONGEST_RUN) {
    const isBlank = isBlankAt(text, at);
    let start = at;
    while (start > 0 && at - start < LONGEST_RUN && isBlankAt(text, start - 1) === isBlank) start -= 1;
    let end = at + 1;
    while (end < text.length && end - start < LONGEST_RUN && isBlankAt(text, end) === isBlank) end += 1;
    if (end - start >= LONGEST_RUN) return true;
  }
  return false;
}

const isBlankAt = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  if (code < 128) return code === 32 || (code >= 9 && code <= 13);
  return /\s/.test(text.charAt(at));
};
