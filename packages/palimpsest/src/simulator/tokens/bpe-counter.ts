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
      if (!LONG_RUN.test(text)) return countTokens(text, options);
      // Splitting by a group keeps what it matched, at the odd places.
      const parts = text.split(LONG_RUN);
      return parts.reduce(
        (sum, part, index) => sum + countAll(index % 2 === 0 ? [part] : (part.match(PIECE) ?? [])),
        0,
      );
    },
  };
}
