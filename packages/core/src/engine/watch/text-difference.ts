/** Where two texts differ, with a little of what stands around it. */
export interface TextDifference {
  /** The character at which they part. */
  readonly at: number;
  readonly before: string;
  readonly now: string;
}

const AROUND = 160;

/** The part that differs, from the first character to the last that does; each side `most` characters at most. */
export function findTextDifference(before: string, now: string, most: number): TextDifference {
  const shorter = Math.min(before.length, now.length);
  let start = 0;
  while (start < shorter && before.charCodeAt(start) === now.charCodeAt(start)) start += 1;
  let end = 0;
  while (
    end < shorter - start &&
    before.charCodeAt(before.length - 1 - end) === now.charCodeAt(now.length - 1 - end)
  ) {
    end += 1;
  }
  return { at: start, before: excerpt(before, start, end, most), now: excerpt(now, start, end, most) };
}

function excerpt(text: string, start: number, end: number, most: number): string {
  const from = Math.max(0, start - AROUND);
  const to = Math.min(text.length, text.length - end + AROUND);
  const cut = Math.min(to, from + most);
  return `${from > 0 ? "…" : ""}${text.slice(from, cut)}${cut < text.length ? "…" : ""}`.toWellFormed();
}

/** The text, cut so that it takes at most so many bytes as UTF-8; no character is cut apart. */
export function clipToBytes(text: string, maxBytes: number): string {
  let bytes = 0;
  let length = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (bytes > maxBytes) return text.slice(0, length);
    length += character.length;
  }
  return text;
}
