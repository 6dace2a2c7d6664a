import { firstCharacters } from "../../messages/plain-text.js";

/** How much of one text of a hook gets through. */
const MOST_CHARACTERS = 10_000;

/** What a hook says, cut with a note where it is too long: no hook can fill a prompt, a boundary or a screen. */
export function capHookText<Text extends string | undefined>(text: Text): Text | string {
  if (text === undefined || text.length <= MOST_CHARACTERS) return text;
  const kept = firstCharacters(text, MOST_CHARACTERS);
  return `${kept}\n[… ${text.length - kept.length} more characters of this hook are left out …]`;
}
