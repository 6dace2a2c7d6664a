import { parseShell } from "./parse-shell.js";
import type { ShellCommand } from "./shell-command.js";

/** A part of one file that a command prints, and nothing else. */
export interface CommandRead {
  readonly path: string;
  readonly first?: number;
  readonly last?: number;
  readonly isNumbered: boolean;
}

/** The same part as tools that read are asked for it. */
export function partOfRead({ first, last }: CommandRead): {
  readonly offset?: number;
  readonly limit?: number;
} {
  return {
    ...(first === undefined || first === 1 ? {} : { offset: first }),
    ...(first === undefined || last === undefined ? {} : { limit: last - first + 1 }),
  };
}

const LONGEST_COMMAND = 2000;

/**
 * The parts of files that a command prints one after the other, and nothing besides: `sed -n 1,40p a && sed -n 7,9p b`.
 * None for every other command.
 */
export function commandReads(command: string): readonly CommandRead[] {
  if (command.length > LONGEST_COMMAND) return [];
  const parsed = parseShell(command);
  if (parsed.kind === "unclear") return [];
  const reads: CommandRead[] = [];
  for (const simple of parsed.commands) {
    const words = plainWords(simple);
    const { operator } = simple;
    if (words === undefined || simple.isBackground) return [];
    if (operator === "|") {
      // Lines of what was numbered before they are chosen.
      const before = reads.pop();
      const lines = printedLines(words);
      const [range, ...others] = lines?.ranges ?? [];
      if (before?.isNumbered !== true || before.first !== undefined || range === undefined) return [];
      if (others.length > 0 || lines?.files.length !== 0) return [];
      reads.push({ ...before, ...range });
    } else {
      if (operator !== undefined && operator !== "&&" && operator !== ";") return [];
      const shown = shownParts(words);
      if (shown.length === 0) return [];
      reads.push(...shown);
    }
  }
  return reads;
}

/** The words of a command that does nothing besides; undefined for every other. */
function plainWords({ words, assignments, redirections }: ShellCommand): readonly string[] | undefined {
  if (assignments.length > 0 || redirections.length > 0) return undefined;
  const isPlain = words.every((word) => !word.isExpanded && !word.isGlob && !word.isBrace && !word.isTilde);
  return isPlain ? words.map(({ value }) => value) : undefined;
}

function shownParts(words: readonly string[]): readonly CommandRead[] {
  const lines = printedLines(words);
  if (lines !== undefined) {
    const [path, ...more] = lines.files;
    if (path === undefined || !isFile(path) || more.length > 0) return [];
    return lines.ranges.map((range) => ({ path, ...range, isNumbered: false }));
  }
  const [program = "", ...rest] = words;
  const [path, ...options] = rest.toReversed();
  if (path === undefined || !isFile(path)) return [];
  const form = [program, ...options.toReversed()].join(" ");
  const last = Number(/^head (?:-n ?|-)(\d{1,9})$/.exec(form)?.[1] ?? 0);
  if (last > 0) return [{ path, first: 1, last, isNumbered: false }];
  if (form === "cat" || form === "cat --") return [{ path, isNumbered: false }];
  return form === "cat -n" || form === "nl -ba" ? [{ path, isNumbered: true }] : [];
}

const isFile = (word: string): boolean => word !== "" && !word.startsWith("-") && !word.includes("\n");

interface PrintedRange {
  readonly first: number;
  readonly last: number;
}

/** `sed -n 10,20p` or `sed -n '1,9p;20,30p'`, and the files after it. Ranges in the order of their lines, none over another. */
function printedLines(
  words: readonly string[],
): { readonly ranges: readonly PrintedRange[]; readonly files: readonly string[] } | undefined {
  const [program, option, script = "", ...files] = words;
  if (program !== "sed" || option !== "-n") return undefined;
  const ranges: PrintedRange[] = [];
  for (const part of script.split(";")) {
    const [, from, to] = /^\s*(\d{1,9}),(\d{1,9})p\s*$/.exec(part) ?? [];
    const [first, last] = [Number(from), Number(to)];
    if (from === undefined || to === undefined || first <= (ranges.at(-1)?.last ?? 0) || last < first)
      return undefined;
    ranges.push({ first, last });
  }
  return { ranges, files };
}
