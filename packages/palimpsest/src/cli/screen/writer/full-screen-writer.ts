import { matchesKey } from "@earendil-works/pi-tui";
import type { Cursor } from "../lines/live-lines.js";
import { harmlessLine } from "../text/shown-text.js";
import { cutLine } from "../text/width.js";
import type { Drawer } from "./drawer.js";
import type { ScreenWriterOptions } from "./screen-writer.js";

const ESC = "\u001b";
const ENTER = `${ESC}[?1049h${ESC}[H`;
const LEAVE = `${ESC}[?1049l`;
/** So much can be scrolled back to; all of it is in the transcript. */
const MOST_LINES = 20_000;

/** The same on a screen of its own: what was there before comes back at the end. Page up and page down scroll. */
export class FullScreenWriter implements Drawer {
  readonly #options: Omit<ScreenWriterOptions, "reflows">;
  #lines: string[] = [];
  #live: readonly string[] = [];
  #cursor: Cursor | undefined;
  #shown: readonly string[] = [];
  #lastPlace = "";
  #back = 0;
  #isEntered = false;

  constructor(options: Omit<ScreenWriterOptions, "reflows">) {
    this.#options = options;
  }

  draw(committed: readonly string[], live: readonly string[], cursor: Cursor | undefined): void {
    this.#lines.push(...committed);
    if (this.#lines.length > MOST_LINES) this.#lines.splice(0, this.#lines.length - MOST_LINES);
    if (this.#back > 0) this.#back += committed.length;
    this.#live = live;
    this.#cursor = cursor;
    this.#paint();
  }

  #paint(): void {
    const { columns, rows } = this.#options.size();
    const { finish = (line: string) => line } = this.#options;
    const live = this.#live.slice(-Math.max(1, rows - 1));
    const room = rows - live.length;
    this.#back = Math.min(Math.max(0, this.#back), Math.max(0, this.#lines.length - room));
    const end = this.#lines.length - this.#back;
    const above = this.#lines.slice(Math.max(0, end - room), end);
    const all = [
      ...Array.from({ length: rows - live.length - above.length }, () => ""),
      ...above,
      ...live,
    ].map((line) => cutLine(harmlessLine(finish(line)), columns));
    let text = this.#isEntered ? "" : ENTER;
    if (!this.#isEntered) this.#shown = [];
    this.#isEntered = true;
    for (const [row, line] of all.entries()) {
      if (this.#shown.length === all.length && this.#shown[row] === line) continue;
      text += `${ESC}[${row + 1};1H${ESC}[2K${line}`;
    }
    this.#shown = all;
    const cursor = this.#cursor;
    const place =
      cursor === undefined
        ? `${ESC}[?25l`
        : `${ESC}[${rows - live.length + cursor.row + 1};${Math.min(columns, cursor.column + 1)}H${ESC}[?25h`;
    if (text === "" && place === this.#lastPlace) return;
    this.#lastPlace = place;
    this.#options.sink.write(`${ESC}[?2026h${ESC}[?7l${text}${place}${ESC}[?7h${ESC}[?2026l`);
  }

  handleKey(data: string): boolean {
    const page = Math.max(1, this.#options.size().rows - 4);
    if (matchesKey(data, "pageUp")) this.#back += page;
    else if (matchesKey(data, "pageDown")) this.#back = Math.max(0, this.#back - page);
    else return false;
    this.#paint();
    return true;
  }

  forget(): void {
    this.#isEntered = false;
    this.#lastPlace = "";
  }

  leave(): void {
    if (this.#isEntered) this.#options.sink.write(`${LEAVE}${ESC}[?25h`);
    this.forget();
  }
}
