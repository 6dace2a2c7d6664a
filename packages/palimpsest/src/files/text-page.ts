export interface PageLimits {
  /** The first line, counted from 1. */
  readonly first: number;
  /** Lines that were asked for; undefined for as many as `maxLines`. */
  readonly limit: number | undefined;
  readonly maxLines: number;
  /** Characters of all that is shown. */
  readonly maxCharacters: number;
  /** Characters of one line; the rest of it is left out. */
  readonly maxLineCharacters: number;
  /** Each line with its number and a tab before it. */
  readonly isNumbered: boolean;
}

/** What stands after a line that is not shown to its end. */
const LINE_CUT = "… [line cut]";

/** The head of a text that does not end in half a character. */
function headOf(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

/** Lines of a text that comes in pieces. Holds what is shown and never more of a line than may be. */
export class TextPage {
  readonly #limits: PageLimits;
  readonly #shown: string[] = [];
  #characters = 0;
  /** Lines that are over. */
  #lines = 0;
  #pending = "";
  #pendingLength = 0;
  #state: "open" | "complete" | "cut" = "open";

  constructor(limits: PageLimits) {
    this.#limits = limits;
    if (limits.limit !== undefined && limits.limit <= 0) this.#state = "complete";
  }

  /** Whether more text would change anything. */
  get isOpen(): boolean {
    return this.#state === "open";
  }

  /** Whether the first line that was asked for has begun. */
  get hasBegun(): boolean {
    return this.#lines + 1 >= this.#limits.first;
  }

  take(text: string): void {
    let at = 0;
    while (this.isOpen && at < text.length) {
      const end = text.indexOf("\n", at);
      this.#grow(text, at, end < 0 ? text.length : end);
      if (end < 0) return;
      this.#endLine();
      at = end + 1;
    }
  }

  /** The text is over; `isCut` where it goes on and is not read. */
  finish(isCut: boolean): {
    readonly content: string;
    readonly lines: number;
    readonly isTruncated: boolean;
  } {
    if (this.isOpen && this.#pendingLength > 0) this.#endLine();
    if (this.isOpen && isCut) this.#state = "cut";
    const content = this.#shown.join("\n").replaceAll("\0", "\uFFFD");
    return { content, lines: this.#shown.length, isTruncated: this.#state === "cut" };
  }

  /** One character more than is shown is held: it may be the first half of a line break. */
  #grow(text: string, from: number, to: number): void {
    const room = this.#limits.maxLineCharacters + 1 - this.#pending.length;
    if (room > 0) this.#pending += text.slice(from, Math.min(to, from + room));
    this.#pendingLength += to - from;
  }

  #endLine(): void {
    const isWhole = this.#pending.length === this.#pendingLength;
    const line = isWhole && this.#pending.endsWith("\r") ? this.#pending.slice(0, -1) : this.#pending;
    this.#pending = "";
    this.#pendingLength = 0;
    this.#lines += 1;
    if (this.#lines >= this.#limits.first) this.#show(line);
  }

  #show(line: string): void {
    const { limit, maxLines, maxCharacters, maxLineCharacters, isNumbered } = this.#limits;
    if (limit === undefined && this.#shown.length >= maxLines) {
      this.#state = "cut";
      return;
    }
    const fitting = line.length > maxLineCharacters ? headOf(line, maxLineCharacters) + LINE_CUT : line;
    const text = isNumbered ? `${this.#lines}\t${fitting}` : fitting;
    const characters = this.#characters + text.length + (this.#shown.length === 0 ? 0 : 1);
    if (characters > maxCharacters) {
      if (this.#shown.length === 0) this.#shown.push(headOf(text, maxCharacters));
      this.#state = "cut";
      return;
    }
    this.#shown.push(text);
    this.#characters = characters;
    if (this.#shown.length === limit) this.#state = "complete";
  }
}
