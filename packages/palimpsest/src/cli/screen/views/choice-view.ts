import { SelectList, matchesKey, type SelectItem } from "@earendil-works/pi-tui";
import type { ViewLines } from "../lines/live-lines.js";
import type { Look } from "../lines/look.js";
import { shownLine } from "../text/shown-text.js";
import { cutLine } from "../text/width.js";
import type { Theme } from "../theme.js";
import { PromptView } from "./prompt-view.js";
import { selectTheme } from "./select-theme.js";
import type { View } from "./view.js";

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly description?: string;
  /** Chosen, it is asked for words too: why not, or an answer of one's own. */
  readonly words?: string;
}

/** What a person chose, with the words where there are some. Undefined where they called it off. */
export interface Chosen {
  readonly values: readonly string[];
  readonly words?: string;
}

export interface ChoiceViewOptions {
  readonly theme: () => Theme;
  readonly rows: () => number;
  readonly onChange: () => void;
  /** What is asked about, as lines of that width; the first ones are kept where there is no room for all. */
  readonly about: (look: Look) => readonly string[];
  readonly choices: readonly Choice[];
  readonly isMultiple?: boolean;
  readonly onChosen: (chosen: Chosen | undefined) => void;
}

/** A question with a few answers. Figures choose at once. */
export class ChoiceView implements View {
  readonly #options: ChoiceViewOptions;
  #list: SelectList;
  readonly #marked = new Set<string>();
  /** The first line of what is asked about that is seen. */
  #top = 0;
  #page = 1;
  #words: { readonly view: PromptView; readonly value: string } | undefined;

  constructor(options: ChoiceViewOptions) {
    this.#options = options;
    this.#list = this.#createList(0);
  }

  #createList(selected: number): SelectList {
    const { choices, theme, isMultiple = false } = this.#options;
    const items: SelectItem[] = choices.map(({ value, label, description }, index) => ({
      value,
      label: `${isMultiple ? (this.#marked.has(value) ? "[x] " : "[ ] ") : ""}${index + 1}. ${shownLine(label)}`,
      ...(description === undefined ? {} : { description: shownLine(description) }),
    }));
    const list = new SelectList(items, 9, selectTheme(theme), {
      minPrimaryColumnWidth: 12,
      maxPrimaryColumnWidth: 60,
    });
    list.setSelectedIndex(selected);
    list.onSelect = ({ value }) => this.#choose(value);
    list.onCancel = () => this.#options.onChosen(undefined);
    return list;
  }

  #choose(value: string): void {
    const { choices, isMultiple = false, onChosen } = this.#options;
    const choice = choices.find((one) => one.value === value);
    if (choice?.words !== undefined) {
      this.#askWords(choice.words, value);
      return;
    }
    const marked = [...this.#marked];
    onChosen({ values: isMultiple && marked.length > 0 ? marked : [value] });
  }

  #askWords(title: string, value: string): void {
    const { theme, rows, onChange, onChosen } = this.#options;
    const view = new PromptView({
      theme,
      rows,
      onChange,
      onSubmit: (words) => onChosen({ values: [value], words }),
    });
    view.title = theme().bold(shownLine(title));
    this.#words = { view, value };
  }

  handleInput(data: string): void {
    if (this.#words !== undefined) {
      if (matchesKey(data, "escape") || matchesKey(data, "ctrl+c")) this.#words = undefined;
      else this.#words.view.handleInput(data);
      return;
    }
    if (matchesKey(data, "pageDown")) this.#top += this.#page;
    else if (matchesKey(data, "pageUp")) this.#top = Math.max(0, this.#top - this.#page);
    else this.#answer(data);
  }

  #answer(data: string): void {
    const { choices, isMultiple = false } = this.#options;
    const figure = /^[1-9]$/.test(data) ? choices[Number(data) - 1] : undefined;
    if (figure !== undefined && !isMultiple) this.#choose(figure.value);
    else if (isMultiple && (data === " " || figure !== undefined)) {
      const value = figure?.value ?? this.#list.getSelectedItem()?.value;
      if (value !== undefined && !this.#marked.delete(value)) this.#marked.add(value);
      this.#list = this.#createList(this.#selected());
    } else this.#list.handleInput(data);
  }

  render(look: Look, rows: number): ViewLines {
    const { theme, about, isMultiple = false } = this.#options;
    const own = this.#words?.view.render(look);
    const list = own?.lines ?? this.#list.render(look.width);
    const hint = theme().dim(
      cutLine(
        own !== undefined
          ? "enter sends · esc goes back"
          : isMultiple
            ? "space marks · enter answers · esc calls it off"
            : "enter or a figure · esc calls it off",
        look.width,
      ),
    );
    const rule = theme().dim(look.glyphs.rule.repeat(look.width));
    const room = Math.max(1, rows - list.length - 3);
    const head = this.#window(about(look), room, theme());
    const lines = [rule, ...head, "", ...list, hint];
    const cursor = own?.cursor;
    return {
      lines,
      ...(cursor === undefined
        ? { cursor: { row: head.length + 2 + this.#selected(), column: 0 } }
        : { cursor: { row: cursor.row + head.length + 2, column: cursor.column } }),
    };
  }

  /** As much of what is asked about as there is room for; page up and page down move it. */
  #window(all: readonly string[], room: number, theme: Theme): readonly string[] {
    if (all.length <= room) return all;
    this.#page = Math.max(1, room - 1);
    this.#top = Math.min(this.#top, all.length - this.#page);
    const end = this.#top + this.#page;
    const mark = `${this.#top + 1}–${end} of ${all.length} lines · page up, page down`;
    return [...all.slice(this.#top, end), theme.dim(mark)];
  }

  /** The cursor stands at the answer that enter would give: screen readers say it. */
  #selected(): number {
    const value = this.#list.getSelectedItem()?.value;
    const index = this.#options.choices.findIndex((choice) => choice.value === value);
    return Math.min(Math.max(0, index), 8);
  }
}
