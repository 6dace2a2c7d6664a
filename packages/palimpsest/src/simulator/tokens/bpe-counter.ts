import { createRequire } from "node:module";
import type * as Tokenizer from "gpt-tokenizer/encoding/o200k_base";

/** Counts the tokens of a text with a real tokenizer. */
export interface TokenCounter {
  count(text: string): number;
}

/** Byte-pair merging is quadratic in the length of one run of characters of a kind: long ones are cut. */
const LONGEST_RUN = 400;
const options = { disallowedSpecial: new Set<string>() };

/** The tokenizer is loaded with the first text: its table is a quarter of a second, and many commands count nothing. */
export function createBpeCounter(): TokenCounter {
  return {
    count(text) {
      const tokenizer = theTokenizer();
      let tokens = 0;
      for (const piece of cutRuns(text)) tokens += piece === "" ? 0 : tokenizer.count(piece);
      return tokens;
    },
  };
}

/** Characters after which all that was merged is forgotten. */
const MOST_MERGED = 2_000_000;

/**
 * It remembers what it has merged. Where that is full, it would look for the oldest piece each time, past all that went
 * before: it is emptied before it is full.
 */
function loadTokenizer(): TokenCounter {
  const require = createRequire(import.meta.url);
  const { countTokens, setMergeCacheSize, clearMergeCache } =
    require("gpt-tokenizer/encoding/o200k_base") as typeof Tokenizer;
  setMergeCacheSize(Number.POSITIVE_INFINITY);
  let merged = 0;
  return {
    count(piece) {
      merged += piece.length;
      if (merged > MOST_MERGED) {
        clearMergeCache();
        merged = piece.length;
      }
      return countTokens(piece, options);
    },
  };
}

let loaded: TokenCounter | undefined;
const theTokenizer = (): TokenCounter => (loaded ??= loadTokenizer());

/**
 * The text in pieces: what stands between long runs of blanks or of anything else, and those runs cut. One look at
 * each character, and no regular expression: one would need as much stack as the run is long.
 */
export function* cutRuns(text: string): Generator<string> {
  let start = 0;
  let runStart = 0;
  let isBlankRun = isBlank(text.charCodeAt(0));
  for (let at = 1; at <= text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (at < text.length && isBlank(code) === isBlankRun) continue;
    if (at - runStart >= LONGEST_RUN) {
      if (runStart > start) yield text.slice(start, runStart);
      for (let cut = runStart; cut < at; cut += LONGEST_RUN) {
        yield text.slice(cut, Math.min(at, cut + LONGEST_RUN));
      }
      start = at;
    }
    runStart = at;
    isBlankRun = !isBlankRun;
  }
  if (start < text.length) yield text.slice(start);
}

/** As `\s` has it. */
const isBlank = (code: number): boolean =>
  code <= 0x20
    ? code === 0x20 || (code >= 0x09 && code <= 0x0d)
    : code >= 0xa0 && (code === 0xa0 || WIDE_BLANKS.has(code));

const WIDE_BLANKS: ReadonlySet<number> = new Set([
  0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a, 0x2028,
  0x2029, 0x202f, 0x205f, 0x3000, 0xfeff,
]);
