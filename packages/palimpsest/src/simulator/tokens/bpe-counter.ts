import { countMerged } from "./merge-bytes.js";
import { addPiece, noKinds, pieceFacts, tokensIn, type PieceFacts, type TokenKinds } from "./piece-facts.js";
import { readTokenTable } from "./token-table.js";

/** Counts the tokens of a text with a real tokenizer. */
export interface TokenCounter {
  count(text: string): number;
  /** The same apart by what they are of, so that models whose tokenizer is not public can be told by it. */
  readonly kinds?: (text: string) => Readonly<TokenKinds>;
}

/** One that tells what its tokens are of. */
export type KindsCounter = Required<TokenCounter>;

/** Byte-pair merging is quadratic in the length of one run of characters of a kind: long ones are cut. */
const LONGEST_RUN = 400;
/** Bytes of UTF-8 for one unit of a string at most. */
const BYTES_PER_UNIT = 3;
/** Characters after which all that was counted is forgotten. */
const MOST_REMEMBERED = 2_000_000;

/** Units of a string up to which a cut from it is a string of its own. */
const SHORT = 12;

/** The table is read with the first text: many commands count nothing. */
export function createBpeCounter(): KindsCounter {
  const kinds = (text: string): TokenKinds => {
    const { pattern, factsOf } = theTokenizer();
    const sum = noKinds();
    let isAfterBlank = true;
    for (const part of cutRuns(text)) {
      for (const piece of part.match(pattern) ?? [])
        isAfterBlank = addPiece(sum, factsOf(piece), isAfterBlank);
    }
    return sum;
  };
  return { kinds, count: (text) => tokensIn(kinds(text)) };
}

interface Tokenizer {
  readonly pattern: RegExp;
  readonly factsOf: (piece: string) => PieceFacts;
}

/** It remembers pieces, which are words mostly, and forgets all of them at once: looking for the oldest would cost more. */
function loadTokenizer(): Tokenizer {
  const table = readTokenTable();
  const encoder = new TextEncoder();
  const bytes = new Uint8Array(LONGEST_RUN * BYTES_PER_UNIT);
  const known = new Map<string, PieceFacts>();
  let remembered = 0;

  function factsOf(piece: string): PieceFacts {
    const facts = known.get(piece);
    if (facts !== undefined) return facts;
    const room =
      piece.length * BYTES_PER_UNIT <= bytes.length ? bytes : new Uint8Array(piece.length * BYTES_PER_UNIT);
    const length = encoder.encodeInto(piece, room).written;
    // A piece keeps the text alive that it was cut from, so what is found at once is not remembered.
    if (piece.length > SHORT && table.rankOf(room, 0, length) !== -1) return pieceFacts(piece, 1);
    const found = pieceFacts(piece, countMerged(room, length, table));
    remembered += piece.length;
    if (remembered > MOST_REMEMBERED) {
      known.clear();
      remembered = piece.length;
    }
    known.set(piece, found);
    return found;
  }

  return { pattern: table.pattern, factsOf };
}

let loaded: Tokenizer | undefined;
const theTokenizer = (): Tokenizer => (loaded ??= loadTokenizer());

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
