/** Everything that the language takes for the end of a line. */
const LINE_END = /\r\n|[\n\r\u2028\u2029]/;

/** Elements that readers of a summary or of a prompt look for. */
const TAG =
  /<(\/?)(?=(?:summary|analysis|(?:system|context)-reminder|task-notification|user-prompt-submit-hook|command-(?:name|message|args)|local-command-\w+)\b)/gi;

/** No tag that has a meaning to programs is left in the text: a blank is set into it. For what nobody typed. */
export const spaceTags = (text: string): string => (text.includes("<") ? text.replaceAll(TAG, "<$1 ") : text);

export const linesOf = (text: string): readonly string[] => text.split(LINE_END);

/** Blanks that are not a single space already. */
const LOOSE_SPACE = / \s+|[^\S ]\s*/g;

/** Every stretch of blanks and line ends as one space; none at the ends. */
export const collapseSpace = (text: string): string => text.replaceAll(LOOSE_SPACE, " ").trim();

/** The first characters; a pair of surrogates is never parted. */
export function firstCharacters(text: string, count: number): string {
  if (text.length <= count) return text;
  return text.slice(0, isHighSurrogate(text.charCodeAt(count - 1)) ? count - 1 : Math.max(0, count));
}

/** The last characters; a pair of surrogates is never parted. */
export function lastCharacters(text: string, count: number): string {
  if (text.length <= count) return text;
  const start = text.length - Math.max(0, count);
  return text.slice(isLowSurrogate(text.charCodeAt(start)) ? start + 1 : start);
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;

/** The start of a text as one line without tags; what was cut off shows as `…`. Reads only what it needs. */
export function oneLine(text: string, maxCharacters: number): string {
  const line = spaceTags(collapseSpace(firstCharacters(text, maxCharacters * 4)).toWellFormed());
  if (line.length <= maxCharacters && text.length <= maxCharacters * 4) return line;
  return `${firstCharacters(line, maxCharacters).trimEnd()}…`;
}

export interface ExcerptOptions {
  readonly maxLines: number;
  /** Per line. */
  readonly maxCharacters: number;
  /** At least four blanks: such a line is never taken for the title of a section. */
  readonly indent: string;
}

/** The first lines that say something, indented, without tags. Reads only what it needs. */
export function excerpt(
  text: string,
  { maxLines, maxCharacters, indent }: ExcerptOptions,
): readonly string[] {
  const read = firstCharacters(text, maxLines * maxCharacters * 4);
  const lines = linesOf(read.toWellFormed()).filter((line) => line.trim() !== "");
  const shown = lines.slice(0, maxLines).map((line) => {
    const end = line.trimEnd();
    const cut = end.length > maxCharacters ? `${firstCharacters(end, maxCharacters)}…` : end;
    return `${indent}${spaceTags(cut)}`;
  });
  const isCut = lines.length > maxLines || read.length < text.length;
  return isCut && shown.length > 0 ? [...shown, `${indent}…`] : shown;
}
