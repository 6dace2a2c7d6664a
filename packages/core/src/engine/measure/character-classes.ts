import { scriptWeight, scriptWeights, type ScriptWeights } from "./script-weights.js";

/** Tokens per character of each class, and what a tool result costs beside its text. */
export interface ClassWeights {
  readonly lower: number;
  readonly upper: number;
  readonly digit: number;
  readonly newline: number;
  /** Per run of neighbouring punctuation, not per character. */
  readonly punctuation: number;
  readonly space: number;
  /** By script: see `scriptWeights`. */
  readonly scripts: ScriptWeights;
  /** Per place beyond the ordinary where a tokenizer has no word for what it sees: see `classTokens`. */
  readonly dense: number;
  readonly perToolResult: number;
}

/** Which tokenizer the weights were measured for. */
export type WeightsName = "newer" | "older" | "gpt";

/**
 * The seven classes: measured by linear regression on the growth of recorded contexts (1,074 conversations,
 * cross-validated by conversation). Scripts and dense text are nearly absent there: a public tokenizer's count of
 * made-up text times the factor between that tokenizer and these models.
 */
export const classWeights: Readonly<Record<WeightsName, ClassWeights>> = {
  newer: {
    lower: 0.292,
    upper: 0.931,
    digit: 0.618,
    newline: 0.785,
    punctuation: 1.543,
    space: 0.114,
    scripts: scriptWeights({ latin: 0.999, cjk: 1.1, others: 1.55 }),
    dense: 1.1,
    perToolResult: 25.8,
  },
  older: {
    lower: 0.144,
    upper: 0.521,
    digit: 0.796,
    newline: 1.116,
    punctuation: 1.389,
    space: 0.106,
    scripts: scriptWeights({ latin: 1.331, cjk: 0.85, others: 1.2 }),
    dense: 0.85,
    perToolResult: 49,
  },
  gpt: {
    lower: 0.202,
    upper: 0.167,
    digit: 0.51,
    newline: 0.431,
    punctuation: 0.828,
    space: 0.034,
    scripts: scriptWeights({ latin: 0.166, cjk: 0.7, others: 1 }),
    dense: 0.71,
    perToolResult: 34.4,
  },
};

const LOWER = 0;
const UPPER = 1;
const DIGIT = 2;
const NEWLINE = 3;
const PUNCTUATION = 4;
const SPACE = 5;
const BEYOND = 6;

/** The class of each ASCII character. */
const classes = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code >= 97 && code <= 122) return LOWER;
  if (code >= 65 && code <= 90) return UPPER;
  if (code >= 48 && code <= 57) return DIGIT;
  if (code === 10) return NEWLINE;
  return code <= 32 || code === 127 ? SPACE : PUNCTUATION;
});

/** For each letter those that often come after it, in words and in code. All other pairs are rare: 2.5% of them. */
const after =
  "bcdfgiklmnprstuvwxy aejloruy aehiklortu adeiorsy acdefgilmnopqrstvwxy acefiortu aeinrstu aeior abcdefglmnoprstvz eos eins adeilostuy abeimopsu acdegiklnopstuv bcdefiklmnoprstuvw aeiloprstu u acdefgiklmnorstuvy acehiklopstuwy acehilmoprstuy adeilmnprst aeio aehinor pt npst e".split(
    " ",
  );
/** By the last five bits of both letters, whatever their case. */
const isRare = Uint8Array.from({ length: 1024 }, (_, pair) =>
  after[(pair >> 5) - 1]?.includes(String.fromCharCode(96 + (pair & 31))) === true ? 0 : 1,
);

/** What ordinary text has of it, in a run of punctuation and in a word. */
const ORDINARY_CHANGES = 3;
const ORDINARY_PLACES = 1;
const ORDINARY_SHARE = 0.12;
/** In rows of short groups (`0 1 1 0`, `3f 9a 00`) every group is a token of its own, and so is every space. */
const SHORT_GROUP = 2;
const FEW_GROUPS = 3;
const GROUP_PLACES = 1.4;
/** Capital letters one after the other that make a word cost less than single ones. */
const CAPITAL_WORD = 4;
const CAPITAL_RELIEF = 0.4;
/** And so do the digits of a long number. */
const LONG_NUMBER = 7;
const NUMBER_RELIEF = 0.35;
/** What a sign beyond ASCII costs that is the same as the one before it. */
const REPEATED = 0.1;

/**
 * Tokens of a text by its character classes, in one pass. Ordinary text is a sum over seven classes. Beyond that,
 * dense text is counted by its places: changes inside a run of punctuation (maps, regular expressions), and
 * inside a word changes of class and rare pairs of letters (base64, hexadecimal, random letters), as far as there
 * are more of them than ordinary text has.
 */
export function classTokens(text: string, weights: ClassWeights): number {
  const { scripts } = weights;
  const { length: end } = text;
  let lower = 0;
  let upper = 0;
  let digit = 0;
  let newline = 0;
  let runs = 0;
  let space = 0;
  let beyond = 0;
  let dense = 0;
  let capitalised = 0;
  let longDigits = 0;
  /** Changes in the run of punctuation so far, −1 outside of one. */
  let changes = -1;
  /** Short groups in a row with one character between them, and how long ago the last group was. */
  let shortGroups = 0;
  let sinceGroup = 0;
  let previous = 0;
  for (let index = 0; index < end; index += 1) {
    let code = text.charCodeAt(index);
    let kind = code < 128 ? (classes[code] as number) : BEYOND;
    if (kind <= DIGIT) {
      const start = index;
      let places = 0;
      let digits = 0;
      let capitals = 0;
      let before = kind;
      for (;;) {
        if (kind === LOWER) {
          lower += 1;
          if (before === DIGIT) places += 1;
          else if (index > start) places += isRare[((previous & 31) << 5) | (code & 31)] as number;
          capitals = 0;
        } else if (kind === UPPER) {
          upper += 1;
          if (before !== UPPER) places += 1;
          else if (index > start) places += isRare[((previous & 31) << 5) | (code & 31)] as number;
          capitals += 1;
          if (capitals >= CAPITAL_WORD) capitalised += 1;
        } else {
          if (before !== DIGIT) places += 1;
          digits += 1;
          if (digits > index - start && digits >= LONG_NUMBER) longDigits += 1;
          capitals = 0;
        }
        before = kind;
        previous = code;
        index += 1;
        if (index === end) break;
        code = text.charCodeAt(index);
        kind = code < 128 ? (classes[code] as number) : BEYOND;
        if (kind > DIGIT) break;
      }
      const length = index - start;
      digit += digits;
      const excess = places - ORDINARY_PLACES - length * ORDINARY_SHARE;
      if (excess > 0) dense += excess;
      shortGroups = length <= SHORT_GROUP && sinceGroup <= 1 ? shortGroups + 1 : 0;
      if (shortGroups > FEW_GROUPS && digits > 0) dense += GROUP_PLACES;
      sinceGroup = 0;
      changes = -1;
      if (index === end) break;
    }
    sinceGroup += 1;
    if (kind === PUNCTUATION) {
      if (changes === -1) {
        runs += 1;
        changes = 0;
      } else if (code !== previous) {
        changes += 1;
        if (changes > ORDINARY_CHANGES) dense += 1;
      }
    } else {
      changes = -1;
      if (kind === SPACE) space += 1;
      else if (kind === NEWLINE) newline += 1;
      else beyond += scriptWeight(scripts, code) * (code === previous ? REPEATED : 1);
    }
    previous = code;
  }
  return (
    lower * weights.lower +
    upper * weights.upper +
    digit * weights.digit +
    newline * weights.newline +
    runs * weights.punctuation +
    space * weights.space +
    beyond +
    dense * weights.dense -
    capitalised * weights.upper * CAPITAL_RELIEF -
    longDigits * weights.digit * NUMBER_RELIEF
  );
}
