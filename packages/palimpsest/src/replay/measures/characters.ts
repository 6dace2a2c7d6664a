/** What a character is to the judge of forgetting. Words are ASCII; other letters are letters only in paths. */

const WORD = 1;
const PATH = 2;
const URL = 4;

const classes = new Uint8Array(128);
for (let code = 0; code < 128; code += 1) {
  const character = String.fromCharCode(code);
  if (/\w/.test(character)) classes[code] = WORD | PATH | URL;
  else if ("-./@+~%".includes(character)) classes[code] = PATH | URL;
  else if ("?=&#:,;!$*".includes(character)) classes[code] = URL;
}

const has = (code: number, kind: number): boolean => code < 128 && ((classes[code] ?? 0) & kind) !== 0;

/** `[A-Za-z0-9_]`. False for NaN, which is what stands before and after a text. */
export const isWord = (code: number): boolean => has(code, WORD);

export const isDigit = (code: number): boolean => code >= 48 && code <= 57;

/** What can stand in a path: also letters of other scripts, but not their punctuation, arrows and frames. */
export const isPathCharacter = (code: number): boolean =>
  code < 128
    ? has(code, PATH)
    : code >= 0xc0 &&
      !(code >= 0x2000 && code <= 0x2bff) &&
      !(code >= 0x3000 && code <= 0x303f) &&
      !(code >= 0xd800 && code <= 0xf8ff) &&
      code < 0xfe00;

export const isUrlCharacter = (code: number): boolean => has(code, URL);

/** An accented letter: a word that touches one is half a word. */
export const isAccented = (code: number): boolean => code >= 0xc0 && code <= 0x24f;

/**
 * What a character is part of: 1 a word, 2 a run of characters beyond ASCII, 0 neither. Where it changes, a text can
 * be cut without parting a word. 0 for NaN.
 */
export const tokenClass = (code: number): 0 | 1 | 2 =>
  code < 128 ? (((classes[code] ?? 0) & WORD) as 0 | 1) : code >= 128 ? 2 : 0;
