/** What the pieces of a text are that a tokenizer merges one by one: enough to weigh them for another tokenizer. */
export interface TokenKinds {
  /** Words of plain Latin letters after a blank, or at the start. */
  words: number;
  /** The same right after anything else: parts of identifiers, paths and markup. */
  joined: number;
  /** Letters of all those words after the fourth of each. */
  longLetters: number;
  /** Tokens of all those words after the first of each. */
  moreTokens: number;
  /** Tokens of words in capitals, of two letters and more. These are no words of the kinds above. */
  capitals: number;
  /** Tokens of words with other letters, and of runs of letters that are longer than words. */
  otherLetters: number;
  /** Tokens of everything else: numbers, signs, blanks. */
  rest: number;
}

export const noKinds = (): TokenKinds => ({
  words: 0,
  joined: 0,
  longLetters: 0,
  moreTokens: 0,
  capitals: 0,
  otherLetters: 0,
  rest: 0,
});

export function tokensIn(kinds: Readonly<TokenKinds>): number {
  const { words, joined, moreTokens, capitals, otherLetters, rest } = kinds;
  return words + joined + moreTokens + capitals + otherLetters + rest;
}

/** All that has to be known of a piece, in one number: that is what is remembered of each. */
export type PieceFacts = number;

const REST = 0;
const OTHER_LETTERS = 1;
const CAPITALS = 2;
/** With its own blank before it. */
const SPACED_WORD = 3;
/** What stands before it decides. */
const BARE_WORD = 4;
/** With a sign before it. */
const JOINED_WORD = 5;

const SHORT_WORD = 4;
const LONGEST_WORD = 30;
const KINDS = 8;
/** More than a word has of them. */
const MOST_LETTERS = 32;

const anyLetter = /\p{L}/u;

export function pieceFacts(piece: string, tokens: number): PieceFacts {
  const [kind, letters] = kindOf(piece);
  const long = Math.max(0, letters - SHORT_WORD);
  const endsBlank = isBlankCode(piece.charCodeAt(piece.length - 1)) ? 1 : 0;
  return ((tokens * MOST_LETTERS + long) * KINDS + kind) * 2 + endsBlank;
}

/** Adds a piece; gives whether a blank ends it, which the next one asks for. */
export function addPiece(sum: TokenKinds, facts: PieceFacts, isAfterBlank: boolean): boolean {
  const kind = Math.floor(facts / 2) % KINDS;
  const tokens = Math.floor(facts / (2 * KINDS * MOST_LETTERS));
  if (kind === REST) sum.rest += tokens;
  else if (kind === OTHER_LETTERS) sum.otherLetters += tokens;
  else if (kind === CAPITALS) sum.capitals += tokens;
  else {
    if (kind === SPACED_WORD || (kind === BARE_WORD && isAfterBlank)) sum.words += 1;
    else sum.joined += 1;
    sum.longLetters += Math.floor(facts / (2 * KINDS)) % MOST_LETTERS;
    sum.moreTokens += tokens - 1;
  }
  return facts % 2 === 1;
}

/** The kind, and the letters of a word: all of a piece but for the sign before it. */
function kindOf(piece: string): readonly [kind: number, letters: number] {
  let hasCapital = false;
  let hasSmall = false;
  for (let at = 0; at < piece.length; at += 1) {
    const code = piece.charCodeAt(at);
    if (code > 0x7f) return [anyLetter.test(piece) ? OTHER_LETTERS : REST, 0];
    hasCapital ||= isCapital(code);
    hasSmall ||= isSmall(code);
  }
  if (!hasCapital && !hasSmall) return [REST, 0];
  const first = piece.charCodeAt(0);
  const isBare = isCapital(first) || isSmall(first);
  const letters = isBare ? piece.length : piece.length - 1;
  if (letters > LONGEST_WORD) return [OTHER_LETTERS, 0];
  if (!hasSmall && letters > 1) return [CAPITALS, 0];
  return [isBare ? BARE_WORD : first === 0x20 ? SPACED_WORD : JOINED_WORD, letters];
}

const isCapital = (code: number): boolean => code >= 0x41 && code <= 0x5a;
const isSmall = (code: number): boolean => code >= 0x61 && code <= 0x7a;

const isBlankCode = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d);
