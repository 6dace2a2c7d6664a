const STANDARD = /^[A-Za-z0-9+/]*$/;
const WITH_PADDING = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * Standard base64 of the same bytes: without the prefix of a data URL, white space and the characters of the
 * alphabet for URLs, its padding in order. Undefined for what is not base64. One pass over data in order, and no
 * pattern that repeats without a limit over white space: megabytes of it could exhaust the stack of patterns.
 */
export function mendBase64(text: string): string | undefined {
  if (text.length % 4 === 0 && WITH_PADDING.test(text)) return text;
  const bare = withoutPadding(
    text
      .trimStart()
      .replace(/^data:[^,]*;base64,/i, "")
      .replaceAll(/\s{1,9}/g, ""),
  )
    .replaceAll("-", "+")
    .replaceAll("_", "/");
  const open = bare.length % 4;
  return open !== 1 && STANDARD.test(bare) ? bare + "=".repeat((4 - open) % 4) : undefined;
}

/** By hand: a pattern for the end of a text is tried at every character of it. */
function withoutPadding(text: string): string {
  let end = text.length;
  while (text[end - 1] === "=") end -= 1;
  return text.slice(0, end);
}

/** The six bits that a character stands for; undefined for padding and foreign characters. */
function sextet(code: number): number | undefined {
  if (code >= 65 && code <= 90) return code - 65;
  if (code >= 97 && code <= 122) return code - 71;
  if (code >= 48 && code <= 57) return code + 4;
  if (code === 43) return 62;
  return code === 47 ? 63 : undefined;
}

/** The bytes of base64 data, each decoded when it is asked for. */
export class Base64Bytes {
  readonly #base64: string;

  constructor(base64: string) {
    this.#base64 = base64;
  }

  /** NaN after the end, which makes every figure computed from it NaN too. */
  at(index: number): number {
    const within = index % 3;
    const position = ((index - within) / 3) * 4 + within;
    const high = sextet(this.#base64.charCodeAt(position));
    const low = sextet(this.#base64.charCodeAt(position + 1));
    if (high === undefined || low === undefined) return Number.NaN;
    return ((high << (2 + 2 * within)) | (low >> (4 - 2 * within))) & 0xff;
  }

  big16(index: number): number {
    return this.at(index) * 256 + this.at(index + 1);
  }

  big32(index: number): number {
    return this.big16(index) * 65_536 + this.big16(index + 2);
  }

  little16(index: number): number {
    return this.at(index) + this.at(index + 1) * 256;
  }

  little24(index: number): number {
    return this.little16(index) + this.at(index + 2) * 65_536;
  }

  has(index: number, ascii: string): boolean {
    for (let offset = 0; offset < ascii.length; offset += 1) {
      if (this.at(index + offset) !== ascii.charCodeAt(offset)) return false;
    }
    return true;
  }
}
