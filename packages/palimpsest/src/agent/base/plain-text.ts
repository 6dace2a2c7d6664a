/** Whole sequences that steer a terminal: colours, cursor moves, titles. */
const escapeSequences = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?)/g;
/** Every control character but line feed and tab. */
const controlCharacters = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Halves of a character. */
const loneSurrogates = /\p{Surrogate}/gu;

/** The text without anything that steers a terminal, and in valid Unicode. Line feeds and tabs stay. */
export const plainText = (text: string): string =>
  text.replace(escapeSequences, "").replace(controlCharacters, "").replace(loneSurrogates, "\uFFFD");

/** Whether a text holds what `plainText` would change. */
export const isPlain = (text: string): boolean => plainText(text) === text;

/** The text, cut at so many characters, with a note where something is missing. */
export function capPlain(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max).replace(/[\uD800-\uDBFF]$/, "")} […]`;
}

/** For a sentence: one line, not too long. */
export const oneLine = (text: string, max: number): string =>
  capPlain(plainText(text).replace(/\s+/g, " ").trim(), max);
