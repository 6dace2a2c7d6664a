import { matchesKey } from "@earendil-works/pi-tui";
import type { ViewLines } from "../lines/live-lines.js";
import type { Look } from "../lines/look.js";
import type { Detail } from "../state/item.js";
import { cutLine, fittingParts, wrapLines } from "../text/width.js";
import type { Theme } from "../theme.js";
import type { View } from "./view.js";

export interface TextViewOptions {
  readonly theme: () => Theme;
  /** The newest last; left and right go through them. */
  readonly details: readonly Detail[];
  readonly onClosed: () => void;
}

/** A text to look through: a tool's whole output, what a compaction did. */
export class TextView implements View {
  readonly #options: TextViewOptions;
  #index: number;
  #top = 0;
  #page = 10;
  #count = 0;
  /** As they were wrapped last: outputs may be long. */
  #wrapped: { readonly text: string; readonly width: number; readonly lines: readonly string[] } | undefined;

  constructor(options: TextViewOptions) {
    this.#options = options;
    this.#index = Math.max(0, options.details.length - 1);
  }

  handleInput(data: string): void {
    const { details, onClosed } = this.#options;
    const by = (lines: number): void => {
      this.#top = Math.min(Math.max(0, this.#top + lines), Math.max(0, this.#count - this.#page));
    };
    const goTo = (index: number): void => {
      this.#index = Math.min(Math.max(0, index), details.length - 1);
      this.#top = 0;
    };
    if (
      ["escape", "ctrl+c", "ctrl+o", "enter"].some((key) => matchesKey(data, key as "escape")) ||
      data === "q"
    )
      onClosed();
    else if (matchesKey(data, "up") || data === "k") by(-1);
    else if (matchesKey(data, "down") || data === "j") by(1);
    else if (matchesKey(data, "pageUp") || data === "b") by(-this.#page);
    else if (matchesKey(data, "pageDown") || data === " ") by(this.#page);
    else if (matchesKey(data, "home") || data === "g") by(-this.#count);
    else if (matchesKey(data, "end") || data === "G") by(this.#count);
    else if (matchesKey(data, "left")) goTo(this.#index - 1);
    else if (matchesKey(data, "right")) goTo(this.#index + 1);
  }

  #linesOf(text: string, width: number): readonly string[] {
    if (this.#wrapped?.text !== text || this.#wrapped.width !== width) {
      this.#wrapped = { text, width, lines: wrapLines(text, width) };
    }
    return this.#wrapped.lines;
  }

  render(look: Look, rows: number): ViewLines {
    const theme = this.#options.theme();
    const { details } = this.#options;
    const detail = details[this.#index] ?? { title: "nothing yet", text: "" };
    const lines = this.#linesOf(detail.text, look.width);
    this.#count = lines.length;
    this.#page = Math.max(1, rows - 3);
    this.#top = Math.min(this.#top, Math.max(0, lines.length - this.#page));
    const shown = lines.slice(this.#top, this.#top + this.#page);
    const place = `${Math.min(lines.length, this.#top + 1)}–${this.#top + shown.length} of ${lines.length}`;
    const which = details.length > 1 ? [`← → ${this.#index + 1} of ${details.length}`] : [];
    return {
      lines: [
        theme.dim(look.glyphs.rule.repeat(look.width)),
        cutLine(theme.bold(detail.title), look.width),
        ...shown,
        theme.dim(
          fittingParts([place, "↑ ↓ page up, page down", ...which, "esc closes"], {
            width: look.width,
            first: [1, 0],
          }),
        ),
      ],
    };
  }
}
