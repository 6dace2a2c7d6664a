import { fuzzyFilter, matchesKey, SelectList, type SelectItem } from "@earendil-works/pi-tui";
import type { ViewLines } from "../lines/live-lines.js";
import type { Look } from "../lines/look.js";
import { shownLine } from "../text/shown-text.js";
import { cutLine, fittingParts, widthOf } from "../text/width.js";
import type { Theme } from "../theme.js";
import { selectTheme } from "./select-theme.js";
import type { View } from "./view.js";

export interface PickItem {
  readonly value: string;
  readonly label: string;
  readonly description?: string;
}

export interface PickViewOptions {
  readonly theme: () => Theme;
  readonly title: string;
  readonly items: readonly PickItem[];
  /** Where the list begins; default at its first. */
  readonly selected?: number;
  /** Further items, which come later. */
  readonly more?: Promise<readonly PickItem[]>;
  /** Something came by itself. */
  readonly onChange?: () => void;
  readonly onPicked: (value: string | undefined) => void;
}

const MOST_ROWS = 10;

const shownItem = ({ value, label, description }: PickItem): SelectItem => ({
  value,
  label: shownLine(label) || "(no words)",
  ...(description === undefined ? {} : { description: shownLine(description) }),
});

/** A list that is searched by typing. */
export class PickView implements View {
  readonly #options: PickViewOptions;
  #items: readonly SelectItem[];
  #list: SelectList;
  #search = "";

  constructor(options: PickViewOptions) {
    this.#options = options;
    this.#items = options.items.map(shownItem);
    this.#list = this.#listOf(this.#items, options.selected ?? 0);
    void options.more?.then((more) => {
      if (more.length === 0) return;
      const chosen = this.#list.getSelectedItem()?.value;
      this.#items = [...this.#items, ...more.map(shownItem)];
      this.#find(this.#search, chosen);
      options.onChange?.();
    });
  }

  #listOf(items: readonly SelectItem[], selected: number): SelectList {
    const list = new SelectList([...items], MOST_ROWS, selectTheme(this.#options.theme), {
      minPrimaryColumnWidth: 20,
      maxPrimaryColumnWidth: 80,
    });
    list.setSelectedIndex(selected);
    list.onSelect = ({ value }) => this.#options.onPicked(value);
    list.onCancel = () => this.#options.onPicked(undefined);
    return list;
  }

  /** `chosen` stays selected where it is still there. */
  #find(search: string, chosen?: string): void {
    this.#search = search;
    const found =
      search.trim() === ""
        ? this.#items
        : fuzzyFilter([...this.#items], search, ({ label, description = "" }) => `${label} ${description}`);
    const at = found.findIndex(({ value }) => value === chosen);
    this.#list = this.#listOf(found, Math.max(0, at));
  }

  handleInput(data: string): void {
    if (matchesKey(data, "backspace")) this.#find(Array.from(this.#search).slice(0, -1).join(""));
    else if (matchesKey(data, "ctrl+u")) this.#find("");
    else if (data.startsWith("\u001b[200~"))
      this.#find(this.#search + shownLine(data.slice(6, -6)).slice(0, 200));
    // oxlint-disable-next-line no-control-regex -- keys that are no letters are what this is about
    else if (!/[\u0000-\u001f\u007f]/.test(data)) this.#find(this.#search + data);
    else this.#list.handleInput(data);
  }

  render(look: Look): ViewLines {
    const theme = this.#options.theme();
    const search = `${look.glyphs.prompt} ${shownLine(this.#search)}`;
    return {
      lines: [
        theme.dim(look.glyphs.rule.repeat(look.width)),
        cutLine(theme.bold(shownLine(this.#options.title)), look.width),
        cutLine(search, look.width),
        ...(this.#list.getSelectedItem() === null
          ? [theme.dim("  nothing found")]
          : this.#list.render(look.width)),
        theme.dim(
          fittingParts(["type to search", "enter picks", "esc calls it off"], {
            width: look.width,
            first: [0, 1],
          }),
        ),
      ],
      cursor: { row: 2, column: Math.min(widthOf(search), look.width - 1) },
    };
  }
}
