import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

/** Counts the tokens of a text with a real tokenizer. */
export interface TokenCounter {
  count(text: string): number;
}

/** Byte-pair merging is quadratic in the length of one word: longer runs are cut. */
const LONGEST_RUN = 400;
const LONG_RUN = new RegExp(`[^\\s]{${LONGEST_RUN}}`, "g");
const SPLIT = new RegExp(`[^\\s]{${LONGEST_RUN}}|[^]{1,4000}?(?=[^\\s]{${LONGEST_RUN}})|[^]{1,4000}`, "g");
const options = { disallowedSpecial: new Set<string>() };

export function createBpeCounter(): TokenCounter {
  return {
    count(text) {
      LONG_RUN.lastIndex = 0;
      if (!LONG_RUN.test(text)) return countTokens(text, options);
      return (text.match(SPLIT) ?? []).reduce((sum, piece) => sum + countTokens(piece, options), 0);
    },
  };
}
