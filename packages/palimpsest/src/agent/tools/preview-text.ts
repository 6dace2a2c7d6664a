/** How far from the limit an end of a line is looked for. */
const LINE_SEARCH = 400;

/**
 * The beginning and the end of a text, with a line between them that says how much is left out. Cut at ends of
 * lines where there are any nearby, and never within a character.
 */
export function previewText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const half = Math.max(1, Math.floor(maxCharacters / 2));
  const headEnd = headCut(text, half);
  const tailStart = Math.max(headEnd, tailCut(text, text.length - half));
  const left = (tailStart - headEnd).toLocaleString("en-US");
  return `${text.slice(0, headEnd)}\n[… ${left} characters left out …]\n${text.slice(tailStart)}`;
}

function headCut(text: string, limit: number): number {
  const line = text.lastIndexOf("\n", limit);
  if (line > 0 && limit - line <= LINE_SEARCH) return line;
  return isInsidePair(text, limit) ? limit - 1 : limit;
}

function tailCut(text: string, limit: number): number {
  const line = text.slice(limit, limit + LINE_SEARCH).indexOf("\n");
  if (line >= 0 && limit + line + 1 < text.length) return limit + line + 1;
  return isInsidePair(text, limit) ? limit + 1 : limit;
}

/** Whether a cut here would part the halves of one character. */
const isInsidePair = (text: string, at: number): boolean => {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
};
