/** The text as it is compared: without case, and with one form of sigma. Line breaks stay where they are. */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  return lower.includes("ς") ? lower.replaceAll("ς", "σ") : lower;
}

/** The text with a sign in the place of half characters. */
export const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, "\ufffd");

/** Folded characters that further characters fold to, besides their own upper case. */
const MANY_FORMS = new Set("\u0307ǆǉǌǳσθωå");
/** What a JSON writer may put down in another way than as it is. `/` is left alone by most, but not by all. */
const ESCAPED = /["\\/\u0000-\u001f\u007f\u2028\u2029\ud800-\udfff]/u;

/** Bytes of a line that may stand for a letter of a folded text in yet another form: K (Kelvin) and İ. */
export const ODD_FORMS: Readonly<Record<string, string>> = { k: "\u212a", i: "\u0130" };

/**
 * The two forms in which a folded character can stand in a JSON text that escapes only what it must, both of
 * the same length in UTF-8 (and equal where it has no case); undefined where it may look different.
 * Left out of this: the odd forms, and escapes of what needs none.
 */
export function formsOf(character: string): readonly [lower: string, upper: string] | undefined {
  if (ESCAPED.test(character) || MANY_FORMS.has(character)) return undefined;
  const upper = character.toUpperCase();
  if (upper === character) return [character, character];
  const isPair = upper.toLowerCase() === character && byteLength(upper) === byteLength(character);
  return isPair && Array.from(upper).length === 1 ? [character, upper] : undefined;
}

const byteLength = (text: string): number => Buffer.byteLength(text, "utf8");
