/** The beginning of a text that does not fit, cut without splitting a surrogate pair. */
export function cutText(text: string, maximum: number): string {
  if (text.length <= maximum) return text;
  const end = /[\uD800-\uDBFF]/.test(text.charAt(maximum - 1)) ? maximum - 1 : maximum;
  return text.slice(0, Math.max(0, end));
}
