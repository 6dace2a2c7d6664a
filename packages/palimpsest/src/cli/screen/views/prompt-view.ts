import { CURSOR_MARKER, Editor, type AutocompleteProvider, type TUI } from "@earendil-works/pi-tui";
import type { ViewLines } from "../lines/live-lines.js";
import type { Look } from "../lines/look.js";
import { harmlessLine } from "../text/shown-text.js";
import { widthOf } from "../text/width.js";
import type { Theme } from "../theme.js";
import { selectTheme } from "./select-theme.js";
import type { View } from "./view.js";

export interface PromptViewOptions {
  readonly theme: () => Theme;
  readonly rows: () => number;
  /** Something came by itself: a list of completions. */
  readonly onChange: () => void;
  readonly onSubmit: (text: string) => void;
  readonly completions?: AutocompleteProvider;
}

const PADDING = 2;
/** The drawn cursor: the terminal's own stands there. */
// oxlint-disable-next-line no-control-regex -- escape sequences are what this is about
const DRAWN_CURSOR = /\u001b\[7m([^]*?)\u001b\[0m/;

// oxlint-disable-next-line no-control-regex -- escape sequences are what this is about
const BARE_RULE = /^(?:\u001b\[[\d;]*m)*─+(?:\u001b\[[\d;]*m)*$/;

/** Where a person types. */
export class PromptView implements View {
  readonly #editor: Editor;
  readonly #theme: () => Theme;
  /** What stands before the first line in place of the usual mark. */
  mark: string | undefined;
  /** A line above, such as a question that is answered in words. */
  title: string | undefined;

  constructor({ theme, rows, onChange, onSubmit, completions }: PromptViewOptions) {
    this.#theme = theme;
    // The editor asks its surroundings for their height, and to be drawn again.
    const surroundings = {
      requestRender: onChange,
      terminal: {
        get rows() {
          return rows();
        },
      },
    } as unknown as TUI;
    this.#editor = new Editor(
      surroundings,
      { borderColor: (text) => theme().dim(text), selectList: selectTheme(theme) },
      { paddingX: PADDING },
    );
    this.#editor.focused = true;
    this.#editor.onSubmit = onSubmit;
    if (completions !== undefined) this.#editor.setAutocompleteProvider(completions);
  }

  get text(): string {
    return this.#editor.getExpandedText();
  }

  set text(text: string) {
    this.#editor.setText(text);
  }

  get isCompleting(): boolean {
    return this.#editor.isShowingAutocomplete();
  }

  remember(text: string): void {
    this.#editor.addToHistory(text);
  }

  insert(text: string): void {
    this.#editor.insertTextAtCursor(text);
  }

  handleInput(data: string): void {
    this.#editor.handleInput(data);
  }

  render({ width, glyphs }: Look): ViewLines {
    const theme = this.#theme();
    const title = this.title === undefined ? [] : [this.title];
    const drawn = this.#editor.render(width).map((line) => line.replace(DRAWN_CURSOR, "$1"));
    // The rule below the text is left out unless it says that there is more: what stands below wraps where a window narrows.
    const end = drawn.findIndex((line, index) => index > 1 && BARE_RULE.test(line));
    const kept = end < 0 ? drawn : drawn.toSpliced(end, 1);
    let cursor: ViewLines["cursor"];
    const lines = kept.map((line, index) => {
      const at = line.indexOf(CURSOR_MARKER);
      if (at >= 0) cursor = { row: index + title.length, column: widthOf(harmlessLine(line.slice(0, at))) };
      const text = line.replace(CURSOR_MARKER, "").trimEnd();
      if (index !== 1) return text;
      return `${theme.person(this.mark ?? glyphs.prompt)} ${text.slice(PADDING)}`.trimEnd();
    });
    return { lines: [...title, ...lines], ...(cursor === undefined ? {} : { cursor }) };
  }
}
