import { parseShell } from "../../../shell/parse-shell.js";
import type { ShellCommand } from "../../../shell/shell-command.js";
import { isGitReading } from "./read-only-git.js";
import { isSafeRepository } from "./safe-repository.js";
import { longOptionIn, shortOptionIn } from "./shell-options.js";

/** A program with its arguments, without their quotes. */
type SimpleCommand = readonly {
  readonly text: string;
  /** The shell may put names of files in its place. */
  readonly hasGlob: boolean;
}[];

export interface ReadOnlyOptions {
  /** Whether a path that a command names may be looked at. */
  readonly isVisible: (path: string) => boolean;
  /** Where the command would run. Without it no git command is known to change nothing. */
  readonly directory?: string;
}

/** What is known of a command that changes nothing. */
interface Reader {
  /** Long options that it must not be given, nor their abbreviations. */
  readonly long?: readonly string[];
  /** Letters of short options that it must not be given. */
  readonly short?: string;
  /** Words are words, not files. */
  readonly namesNoFiles?: boolean;
  /** The first word is a pattern. */
  readonly takesPattern?: boolean;
  /** It shows names and sizes alone, so the shell may fill in names of files. */
  readonly showsNamesOnly?: boolean;
  /** What else has to hold for the words behind its name. */
  readonly allows?: (words: readonly string[]) => boolean;
}

const anything: Reader = {};
const words: Reader = { namesNoFiles: true };
const names: Reader = { showsNamesOnly: true, long: ["--files0-from"] };
const versionOnly: Reader = {
  allows: (all) => all.length === 1 && /^(?:--version|-v|-V)$/.test(all[0] ?? ""),
};
const findActions = new Set(
  "-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls -files0-from".split(" "),
);

/** Programs that only look; `sed` for the one use that people make of it to read. */
const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ...["cat", "head", "tail", "nl", "tac", "rev", "cut", "comm", "cmp", "readlink", "realpath", "column"].map(
    (name) => [name, anything] as const,
  ),
  ...["md5sum", "sha1sum", "sha256sum", "od", "hexdump", "fold", "paste", "join"].map(
    (name) => [name, anything] as const,
  ),
  ...[
    "echo",
    "true",
    "false",
    "seq",
    "basename",
    "dirname",
    "pwd",
    "whoami",
    "id",
    "uname",
    "nproc",
    "tr",
  ].map((name) => [name, words] as const),
  ...["ls", "wc", "du", "df", "stat"].map((name) => [name, names] as const),
  ...["node", "npm", "npx", "python", "python3", "tsc"].map((name) => [name, versionOnly] as const),
  ...["grep", "egrep", "fgrep"].map(
    (name) => [name, { takesPattern: true, short: "Rf", long: ["--dereference-recursive"] }] as const,
  ),
  ["rg", { takesPattern: true, short: "Lf", long: ["--follow", "--pre", "--pre-glob", "--hostname-bin"] }],
  // A filter can read further files, and variables.
  [
    "jq",
    {
      takesPattern: true,
      short: "fL",
      allows: (all) =>
        !all.some((word) => /\b(?:import|include|modulemeta|env|ENV|input_filename)\b/.test(word)),
    },
  ],
  ["diff", { short: "r", long: ["--recursive"] }],
  ["which", words],
  ["type", words],
  ["test", { allows: isPlainTest }],
  ["[", { allows: isPlainTest }],
  [
    "sort",
    { short: "oTS", long: ["--output", "--compress-program", "--temporary-directory", "--files0-from"] },
  ],
  // Its second file is written.
  ["uniq", { allows: (all) => all.every((word) => /^--?[a-zA-Z0-9]/.test(word)) }],
  ["file", { short: "Cfm", long: ["--compile", "--files-from", "--magic-file"] }],
  ["find", { allows: (all) => !all.some((word) => findActions.has(word)) }],
  [
    "date",
    {
      namesNoFiles: true,
      allows: (all) => all.every((word) => /^(?:\+.*|-u|--utc|-R|-I[a-z]*)$/s.test(word)),
    },
  ],
  ["sed", { takesPattern: true, allows: isPrintingLines }],
  ["command", { namesNoFiles: true, allows: (all) => all[0] === "-v" }],
]);

/**
 * Whether a shell command is known to change nothing and to look at nothing that may not be looked at. Cautious:
 * what is not known counts as a change. It judges what the command says, not what a program of that name does.
 */
export function isReadOnlyCommand(command: string, options: ReadOnlyOptions): boolean {
  const parsed = parseShell(command);
  if (parsed.kind === "unclear" || parsed.commands.length === 0) return false;
  return parsed.commands.every((simple) => {
    const words = plainWords(simple);
    return words !== undefined && isReading(words, options);
  });
}

/** The words of a command that a shell hands on as they stand; undefined where it does more than that. */
function plainWords(command: ShellCommand): SimpleCommand | undefined {
  const { assignments, words, redirections, isBackground } = command;
  if (isBackground || assignments.length > 0 || redirections.some(({ isHarmless }) => !isHarmless))
    return undefined;
  if (words.some(({ isExpanded, isBrace, isTilde }) => isExpanded || isBrace || isTilde)) return undefined;
  return words.map(({ value, isGlob }) => ({ text: value, hasGlob: isGlob }));
}

function isReading(command: SimpleCommand, { isVisible, directory }: ReadOnlyOptions): boolean {
  const [program, ...rest] = command;
  if (program === undefined || (program.hasGlob && program.text !== "[")) return false;
  const all = rest.map(({ text }) => text);
  const areVisible = (words: readonly string[]): boolean =>
    !words.some((word) => gluedPath.test(word)) && filesOf(words).every(isVisible);
  if (program.text === "git") {
    if (hasGlob(rest) || !isGitReading(all) || !areVisible(all)) return false;
    return directory !== undefined && isSafeRepository(directory);
  }
  const reader = readers.get(program.text);
  if (reader === undefined) return false;
  if (reader.showsNamesOnly !== true && reader.namesNoFiles !== true && hasGlob(rest)) return false;
  if (longOptionIn(all, reader.long ?? []) || shortOptionIn(all, reader.short ?? "")) return false;
  if (reader.allows?.(all) === false) return false;
  if (reader.namesNoFiles === true) return true;
  return areVisible(reader.takesPattern === true ? withoutPattern(all) : all);
}

const hasGlob = (words: SimpleCommand): boolean => words.some((word) => word.hasGlob);

/** Questions about files and plain words: names of variables would be evaluated. */
function isPlainTest(words: readonly string[]): boolean {
  return words.every((word) => /^(?:-[defhrswxznL]|!|=|!=|\]|[\w./][\w./ -]*)$/.test(word));
}

/** `sed -n 10,20p file …`: lines of files, and nothing that a script could do besides. */
function isPrintingLines(words: readonly string[]): boolean {
  const [option, script, ...files] = words;
  return (
    option === "-n" &&
    /^(?:\d+|\$)(?:,(?:\d+|\$))?p$/.test(script ?? "") &&
    files.every((file) => !file.startsWith("-"))
  );
}

/** Without the first word that is no option; where the pattern may stand elsewhere, every word counts. */
function withoutPattern(words: readonly string[]): readonly string[] {
  if (words.some((word) => /^(?:--[rf]|-[^-]*[ef])/.test(word))) return words;
  const at = words.findIndex((word) => !word.startsWith("-"));
  return at < 0 ? words : words.toSpliced(at, 1);
}

/** A short option with a path behind its letter. */
const gluedPath = /^-[^-].*(?:\/|\.\.)/s;

/** What could be a path in these words: words themselves, and what stands behind an option's sign. */
const filesOf = (words: readonly string[]): readonly string[] =>
  words.flatMap((word) => {
    if (!word.startsWith("-")) return [word];
    const sign = word.indexOf("=");
    return sign > 0 ? [word.slice(sign + 1)] : [];
  });
