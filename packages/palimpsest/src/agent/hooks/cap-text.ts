/** How much of one text of a hook gets through: contexts, instructions, messages and reasons. */
const MAX_HOOK_TEXT = 10_000;

/** The text, cut with a note where it is too long. */
export function capText(text: string): string {
  if (text.length <= MAX_HOOK_TEXT) return text;
  const kept = text.slice(0, MAX_HOOK_TEXT).replace(/[\uD800-\uDBFF]$/, "");
  const left = (text.length - kept.length).toLocaleString("en-US");
  return `${kept}\n[${left} more characters of this hook's output are left out]`;
}
