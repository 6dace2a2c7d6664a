import { matchesPattern } from "@palimpsest/core/engine";
import type { RoughOpening, RoughWords } from "../../shell/rough-words.js";

/** What the content of a rule for Bash means. All texts have one blank between their words. */
export interface CommandPattern {
  /** Whether one simple command is meant. */
  readonly matches: (text: string) => boolean;
  /** Whether a command that is meant may begin somewhere in these words. */
  readonly beginsIn: (words: RoughWords) => boolean;
  /** Whether words that go on with one that is computed may be meant. */
  readonly mayGoOnFrom: (opening: RoughOpening) => boolean;
}

export const squeeze = (text: string): string => text.trim().replaceAll(/\s+/g, " ");

/**
 * `npm test` means exactly this, `npm test:*` and `npm test *` everything that starts with these words, and a `*`
 * elsewhere any text.
 */
export function compileCommandPattern(content: string): CommandPattern {
  const pattern = squeeze(content);
  const stem = pattern.replace(/(?::| )\*$/, "");
  if (stem.includes("*")) return globPattern(pattern.replace(/:\*$/, " *"));
  const startsAt = startTest(stem);
  const isOpen = stem !== pattern;
  return {
    matches: (text) => text === stem || (isOpen && text.startsWith(`${stem} `)),
    beginsIn: (row) =>
      row.starts.some(
        (at) => startsAt(row, at) && /^ ?$/.test(windowOf(row, at, stem.length + 1).charAt(stem.length)),
      ),
    mayGoOnFrom: (opening) => fitsOpening(stem, opening),
  };
}

function globPattern(glob: string): CommandPattern {
  const head = glob.slice(0, glob.indexOf("*"));
  const startsAt = startTest(head);
  return {
    matches: (text) => matchesPattern(text, glob),
    beginsIn(row) {
      // What does not follow the first beginning does not follow a later one, so that one look is enough.
      const first = row.starts.find((at) => startsAt(row, at));
      if (first === undefined) return false;
      const rest = head + windowOf(row, first, row.text.length).slice(head.length);
      return matchesPattern(rest, glob) || matchesPattern(rest, `${glob} *`);
    },
    mayGoOnFrom: (opening) => fitsOpening(head, opening),
  };
}

/** What stands at a beginning, as far as it can matter. */
const windowOf = ({ text, lead }: RoughWords, at: number, length: number): string =>
  lead === undefined ? text.slice(at, at + length) : `${lead} ${text.slice(at, at + length)}`;

/** Whether a beginning reads like this text: on many disks a program's name is the same in any case. */
function startTest(text: string): (row: RoughWords, at: number) => boolean {
  const name = text.split(" ", 1)[0] ?? "";
  const folded = name.toLowerCase();
  const rest = text.slice(name.length);
  return (row, at) => {
    if (row.lead === undefined && row.text.charAt(at).toLowerCase() !== folded.charAt(0)) return false;
    const window = windowOf(row, at, text.length);
    return window.slice(0, name.length).toLowerCase() === folded && window.startsWith(rest, name.length);
  };
}

function fitsOpening(text: string, { before, pattern }: RoughOpening): boolean {
  if (text.charAt(before.length) !== " " || !text.startsWith(before)) return false;
  const next = text.slice(before.length + 1).split(" ", 1)[0] ?? "";
  return matchesPattern(next, pattern);
}
