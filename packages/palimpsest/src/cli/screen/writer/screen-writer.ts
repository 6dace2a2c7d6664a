import type { TextSink } from "../../terminal.js";
import type { Cursor } from "../lines/live-lines.js";
import { harmlessLine } from "../text/shown-text.js";
import { cutLine, widthOf } from "../text/width.js";
import type { Drawer } from "./drawer.js";

interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

export interface ScreenWriterOptions {
  readonly sink: TextSink;
  readonly size: () => ScreenSize;
  /** The terminal wraps what is on it anew when it gets narrower. */
  readonly reflows: boolean;
  /** What every line goes through last: keys are taken out, or letters spelled. */
  readonly finish?: (line: string) => string;
}

const ESC = "\u001b";
/** Nothing wraps while it is drawn: a terminal that takes a line to be wider than we do cuts it, and all stays in its place. */
const BEGIN = `${ESC}[?2026h${ESC}[?7l`;
const END = `${ESC}[?7h${ESC}[?2026l`;
const HIDE_CURSOR = `${ESC}[?25l`;
const SHOW_CURSOR = `${ESC}[?25h`;

/**
 * Writes what is finished into the scrollback, once and in order, and draws the live area below it. Nothing above the live
 * area is ever touched again: no clearing of the screen or the scrollback, no scroll regions.
 */
export class ScreenWriter implements Drawer {
  readonly #options: ScreenWriterOptions;
  /** The lines of the live area, as they are on the screen. */
  #shown: readonly string[] = [];
  /** Where the cursor is, counted from the first line of the live area. */
  #row = 0;
  #column = 0;
  #isCursorHidden = false;
  #columns: number;
  #rows: number;

  constructor(options: ScreenWriterOptions) {
    this.#options = options;
    const { columns, rows } = options.size();
    this.#columns = columns;
    this.#rows = rows;
  }

  /** Commits lines, and draws the live area; writes nothing where nothing has changed. */
  draw(committed: readonly string[], live: readonly string[], cursor: Cursor | undefined): void {
    const { columns, rows } = this.#options.size();
    const isSame = columns === this.#columns && rows === this.#rows;
    const resized = isSame ? "" : this.#takeResize(columns, rows);
    const finish = this.#options.finish ?? ((line: string) => line);
    const fit = (line: string): string => cutLine(harmlessLine(finish(line)), columns);
    const above = committed.map(fit);
    const below = live.slice(-Math.max(1, rows - 1)).map(fit);
    const all = [...above, ...below];
    const body = this.#rewrite(all);
    const place = this.#place(below, above.length, cursor);
    const changed = resized + body + place;
    this.#shown = below;
    if (changed === "") return;
    this.#options.sink.write(`${BEGIN}${changed}${END}`);
  }

  /** Lines that are as they were stay; the rest is written where it stands. Cursor and rows count from the old live area. */
  #rewrite(all: readonly string[]): string {
    const old = this.#shown;
    let text = "";
    for (const [index, line] of all.entries()) {
      if (index < old.length && old[index] === line) continue;
      if (index < old.length || index === 0) {
        text += `${this.#moveTo(index)}\r${ESC}[2K${line}`;
      } else {
        // Below what is there: the screen scrolls where it has to.
        text += `${this.#moveTo(index - 1)}\r\n${ESC}[2K${line}`;
        this.#row = index;
      }
      this.#column = -1;
    }
    if (old.length > all.length) {
      if (all.length === 0) text += `${this.#moveTo(0)}\r${ESC}[J`;
      // From the end of the last line: it may be full, so it goes by way of the next one.
      else text += `${this.#moveTo(all.length)}\r${ESC}[J`;
      this.#column = 0;
    }
    return text;
  }

  #place(below: readonly string[], above: number, cursor: Cursor | undefined): string {
    const row =
      above +
      Math.min(Math.max(0, cursor?.row ?? Math.max(0, below.length - 1)), Math.max(0, below.length - 1));
    let text = "";
    if (above + below.length > 0 && below.length > 0) {
      text += this.#moveTo(row);
      const column = cursor === undefined ? 0 : Math.min(cursor.column, Math.max(0, this.#columns - 1));
      if (column !== this.#column || text !== "") text += column === 0 ? "\r" : `\r${ESC}[${column}C`;
      this.#column = column;
    } else if (above > 0) {
      // Nothing is live: what comes next begins on a line of its own.
      text += `${this.#moveTo(above - 1)}\r\n`;
      this.#row = above;
      this.#column = 0;
    }
    const isHidden = cursor === undefined;
    if (isHidden !== this.#isCursorHidden) text += isHidden ? HIDE_CURSOR : SHOW_CURSOR;
    this.#isCursorHidden = isHidden;
    this.#row -= above;
    return text;
  }

  #moveTo(row: number): string {
    const by = row - this.#row;
    this.#row = row;
    return by === 0 ? "" : by < 0 ? `${ESC}[${-by}A` : `${ESC}[${by}B`;
  }

  /**
   * The terminal has another size: it has taken away rows below the cursor, or pushed some out at the top. Where it wraps anew, lines of the live area may take more rows than before: they are
   * found again by their widths. One row too few leaves a rest of the live area above; never too many, for that would take
   * away what is committed. The row with the cursor counts once: terminals do not agree about it.
   */
  #takeResize(columns: number, rows: number): string {
    const before = this.#shown.slice(0, this.#row);
    const height = (line: string): number =>
      this.#options.reflows ? Math.max(1, Math.ceil(widthOf(line) / columns)) : 1;
    const up = before.reduce((sum, line) => sum + (columns < this.#columns ? height(line) : 1), 0);
    this.#columns = columns;
    this.#rows = rows;
    this.#shown = [];
    this.#row = 0;
    this.#column = 0;
    const by = Math.min(up, Math.max(0, rows - 1));
    return `\r${by === 0 ? "" : `${ESC}[${by}A`}${ESC}[J`;
  }

  /** The live area goes away, and the cursor stands where it began: for whoever writes next. */
  leave(): void {
    this.draw([], [], { row: 0, column: 0 });
    if (this.#isCursorHidden) this.#options.sink.write(SHOW_CURSOR);
    this.#isCursorHidden = false;
  }

  /** Somebody else has written: what is drawn next begins on a line of its own. */
  forget(): void {
    this.#shown = [];
    this.#row = 0;
    this.#column = 0;
    const { columns, rows } = this.#options.size();
    this.#columns = columns;
    this.#rows = rows;
  }
}
