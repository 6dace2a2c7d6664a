import {
  CombinedAutocompleteProvider,
  type AutocompleteProvider,
  type AutocompleteSuggestions,
} from "@earendil-works/pi-tui";
import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { shownLine } from "../text/shown-text.js";

interface NamedCommand {
  readonly name: string;
  readonly description: string;
  readonly argumentHint?: string;
}

const MOST_FILES = 50;
const MENTION = /(?:^|\s)@("?)([^\s"]*)$/;

/** Names after a slash, files after an at sign. No program is started for it. */
export function createCompletions({
  cwd,
  commands,
  own,
}: {
  readonly cwd: string;
  /** Of the agent, as they are now. */
  readonly commands: () => readonly NamedCommand[];
  /** Of the screen. */
  readonly own: readonly NamedCommand[];
}): AutocompleteProvider {
  const byName = (): CombinedAutocompleteProvider =>
    new CombinedAutocompleteProvider(
      [...own, ...commands()].map(({ name, description, argumentHint }) => ({
        name,
        description: shownLine(description),
        ...(argumentHint === undefined || argumentHint === ""
          ? {}
          : { argumentHint: shownLine(argumentHint) }),
      })),
      cwd,
      null,
    );
  return {
    async getSuggestions(lines, line, column, options) {
      const before = (lines[line] ?? "").slice(0, column);
      const mention = MENTION.exec(before);
      if (mention !== null) return filesFor(mention[2] ?? "", cwd);
      if (line !== 0 || !before.startsWith("/") || before.includes(" ")) return null;
      return byName().getSuggestions(lines, line, column, options);
    },
    applyCompletion: (lines, line, column, item, prefix) =>
      prefix.startsWith("@")
        ? replaced(lines, { line, column, prefix, text: item.value })
        : byName().applyCompletion(lines, line, column, item, prefix),
    shouldTriggerFileCompletion: () => false,
  };
}

function replaced(
  lines: readonly string[],
  {
    line,
    column,
    prefix,
    text,
  }: { readonly line: number; readonly column: number; readonly prefix: string; readonly text: string },
): { lines: string[]; cursorLine: number; cursorCol: number } {
  const now = lines[line] ?? "";
  const start = column - prefix.length;
  const next = now.slice(0, start) + text + now.slice(column);
  return { lines: lines.with(line, next), cursorLine: line, cursorCol: start + text.length };
}

async function filesFor(written: string, cwd: string): Promise<AutocompleteSuggestions | null> {
  const folder = written.endsWith("/") ? written : dirname(written) === "." ? "" : `${dirname(written)}/`;
  const start = written.endsWith("/") ? "" : basename(written);
  const entries = await readdir(join(cwd, folder), { withFileTypes: true }).catch(() => []);
  const items = entries
    .filter(
      ({ name }) =>
        name.toLowerCase().startsWith(start.toLowerCase()) &&
        (start.startsWith(".") || !name.startsWith(".")),
    )
    .slice(0, MOST_FILES)
    .map((entry) => {
      const path = `${folder}${entry.name}${entry.isDirectory() ? "/" : ""}`;
      return { value: /[\s"]/.test(path) ? `@"${path}"` : `@${path}`, label: shownLine(entry.name) };
    });
  return items.length === 0 ? null : { items, prefix: `@${written}` };
}
