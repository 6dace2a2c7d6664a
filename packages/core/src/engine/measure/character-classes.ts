/** Tokens per character of each class, and what a tool result costs beside its text. */
export interface ClassWeights {
  readonly lower: number;
  readonly upper: number;
  readonly digit: number;
  readonly newline: number;
  /** Per run of neighbouring punctuation, not per character. */
  readonly punctuation: number;
  readonly space: number;
  readonly nonAscii: number;
  /** Chinese, Japanese, Korean: about one token a character. */
  readonly cjk: number;
  readonly perToolResult: number;
}

/** Which tokenizer the weights were measured for. */
export type WeightsName = "newer" | "older" | "gpt";

/**
 * Measured by linear regression on the growth of recorded contexts (1,074 conversations, cross-validated by
 * conversation), but for CJK, which is nearly absent there: a public tokenizer's count of Chinese prose times
 * the factor between that tokenizer and these models.
 */
export const classWeights: Readonly<Record<WeightsName, ClassWeights>> = {
  newer: {
    lower: 0.292,
    upper: 0.931,
    digit: 0.618,
    newline: 0.785,
    punctuation: 1.543,
    space: 0.114,
    nonAscii: 0.999,
    cjk: 1.1,
    perToolResult: 25.8,
  },
  older: {
    lower: 0.144,
    upper: 0.521,
    digit: 0.796,
    newline: 1.116,
    punctuation: 1.389,
    space: 0.106,
    nonAscii: 1.331,
    cjk: 0.85,
    perToolResult: 49,
  },
  gpt: {
    lower: 0.202,
    upper: 0.167,
    digit: 0.51,
    newline: 0.431,
    punctuation: 0.828,
    space: 0.034,
    nonAscii: 0.166,
    cjk: 0.7,
    perToolResult: 34.4,
  },
};

const LOWER = 0;
const UPPER = 1;
const DIGIT = 2;
const NEWLINE = 3;
const PUNCTUATION = 4;
const SPACE = 5;

/** The class of each ASCII character. */
const classes = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code >= 97 && code <= 122) return LOWER;
  if (code >= 65 && code <= 90) return UPPER;
  if (code >= 48 && code <= 57) return DIGIT;
  if (code === 10) return NEWLINE;
  return code <= 32 || code === 127 ? SPACE : PUNCTUATION;
});

const isCjk = (code: number): boolean =>
  (code >= 0x2e80 && code <= 0x9fff) ||
  (code >= 0xac00 && code <= 0xd7af) ||
  (code >= 0xf900 && code <= 0xfaff);

/** Tokens of a text by its character classes, in one pass. */
export function classTokens(text: string, weights: ClassWeights): number {
  let lower = 0;
  let upper = 0;
  let digit = 0;
  let newline = 0;
  let runs = 0;
  let space = 0;
  let nonAscii = 0;
  let cjk = 0;
  let inRun = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= 128) {
      if (isCjk(code)) cjk += 1;
      // Half of a pair: the pair counts once.
      else if (code < 0xdc00 || code > 0xdfff) nonAscii += 1;
      inRun = false;
      continue;
    }
    const kind = classes[code];
    if (kind === PUNCTUATION) {
      if (!inRun) runs += 1;
      inRun = true;
      continue;
    }
    inRun = false;
    if (kind === LOWER) lower += 1;
    else if (kind === SPACE) space += 1;
    else if (kind === UPPER) upper += 1;
    else if (kind === DIGIT) digit += 1;
    else newline += 1;
  }
  return (
    lower * weights.lower +
    upper * weights.upper +
    digit * weights.digit +
    newline * weights.newline +
    runs * weights.punctuation +
    space * weights.space +
    nonAscii * weights.nonAscii +
    cjk * weights.cjk
  );
}
