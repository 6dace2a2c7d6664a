/**
 * Characters that move, hide or reorder others, or that no font shows. Line breaks and tabs are left as they are, and what makes emoji of
 * several characters one.
 */
const UNSEEN = new RegExp(
  [
    "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f",
    "\\u200b\\u200c\\u200e\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u3164\\ufe00-\\ufe0e\\ufeff\\uffa0\\ufff0-\\uffff\\ud800-\\udfff]",
    "|[\\u{e0000}-\\u{e0fff}]",
    "|(?<!\\p{Extended_Pictographic}\\ufe0f?|\\p{Emoji_Modifier})\\u200d",
    "|(?<!\\p{Emoji})\\ufe0f",
  ].join(""),
  "gu",
);

const hexOf = (character: string): string =>
  (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");

function shown(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? "\u2421" : `⟨U+${hexOf(character)}⟩`;
}

/** A hostile text as it can be shown: what cannot be seen in it is named (`␛`, `⟨U+202E⟩`). */
export const visibleText = (text: string): string => text.replace(UNSEEN, shown);

/** The same for one line: breaks and tabs are marks too, and long spaces are one. */
export const visibleLine = (text: string): string =>
  visibleText(text.replaceAll("\r\n", "\n"))
    .replaceAll(/ {2,}/g, " ")
    .replaceAll("\n", " ↵ ")
    .replaceAll("\t", " ⇥ ");
