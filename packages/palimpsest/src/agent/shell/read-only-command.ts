import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { parseShell } from "../../shell/parse-shell.js";
import type { ShellCommand } from "../../shell/shell-command.js";
import { expandWildcards, hasWildcard } from "./expand-words.js";
import { readGit, type GitReading } from "./read-only-git.js";
import { readOnlyPrograms, type Reading } from "./read-only-programs.js";
import { inspectRepository } from "./safe-repository.js";
import { isVisibleTree } from "./visible-tree.js";

/** A program with its arguments, without their quotes. */
type SimpleCommand = readonly {
  readonly text: string;
  /** The shell may put names of files in its place. */
  readonly hasGlob: boolean;
}[];

export interface ReadOnlyOptions {
  /** Whether a path that a command names may be looked at. */
  readonly isVisible: (path: string) => boolean;
  /** Where the command would run. Without it no git command is known to change nothing, and no name is filled in. */
  readonly directory?: string;
  /** Whether rules hide a file, told by its absolute path. Left out, there are no such rules. */
  readonly isHidden?: ((path: string) => boolean) | undefined;
  /** False as soon as the disk was asked often enough. Left out, each command may ask often. */
  readonly mayLook?: (() => boolean) | undefined;
  /** Whether git would ask the repository that the directory is in. Default true. */
  readonly hasGit?: boolean;
}

/**
 * Whether a shell command is known to change nothing and to look at nothing that may not be looked at. Cautious:
 * what is not known counts as a change. It judges what the command says, not what a program of that name does. Calls
 * of git are meant with their brakes on: see `GIT_BRAKES`.
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

function isReading(command: SimpleCommand, options: ReadOnlyOptions): boolean {
  const [program, ...rest] = command;
  if (program === undefined || (program.hasGlob && program.text !== "[")) return false;
  const words = expandAll(rest, options);
  if (words === undefined) return false;
  if (program.text === "git") return isGitReading(words, options);
  const reading = readOnlyPrograms.get(program.text)?.(words);
  return reading !== undefined && isPermitted(reading, options);
}

/** The words as the program gets them; undefined where that cannot be told, or where names alone would tell too much. */
export function expandAll(
  rest: SimpleCommand,
  { directory, isVisible, mayLook }: Pick<ReadOnlyOptions, "directory" | "isVisible" | "mayLook">,
): readonly string[] | undefined {
  const words: string[] = [];
  for (const { text, hasGlob } of rest) {
    if (!hasGlob) words.push(text);
    else {
      if (directory === undefined || text.includes("{") || !hasWildcard(text)) return undefined;
      const names = mayLook?.() === false ? undefined : expandWildcards(text, directory);
      const isShown = (name: string): boolean =>
        mayLook?.() !== false && isVisible(fromDirectory(directory)(name));
      if (names === undefined || !names.every(isShown)) return undefined;
      words.push(...names);
    }
  }
  return words;
}

function isPermitted(
  { files, trees = [], followsLinks, showsNamesOnly = false }: Reading,
  { isVisible, isHidden, directory, mayLook }: ReadOnlyOptions,
): boolean {
  const from = fromDirectory(directory);
  const isShown = (word: string): boolean => {
    const path = from(word);
    return isVisible(path) && isOrdinary(path) && (showsNamesOnly || isHidden?.(path) !== true);
  };
  return (
    files.every(isShown) &&
    trees.every((tree) => isVisibleTree(from(tree), { isVisible, isHidden, followsLinks, mayLook }))
  );
}

function isGitReading(words: readonly string[], options: ReadOnlyOptions): boolean {
  const { isVisible, isHidden } = options;
  const reading = readGit(words);
  if (reading === undefined || options.directory === undefined || options.hasGit === false) return false;
  let { directory } = options;
  for (const word of reading.directories) {
    directory = fromDirectory(directory)(word);
    if (!isVisible(directory) || !isDirectory(directory)) return false;
  }
  const from = fromDirectory(directory);
  const repository = inspectRepository(directory);
  const named = [...reading.operands, ...(reading.isInRevision ? [] : (reading.files ?? []))];
  if (repository.kind === "unsafe" || !named.every((word) => isVisible(from(word)))) return false;
  // Where there is no repository, two files are compared instead.
  if (repository.kind === "none") return reading.command !== "diff";
  if (!reading.showsText || (isHidden === undefined && isVisible(repository.top))) return true;
  return showsOnly(reading, {
    directories: [directory, repository.top],
    isPermitted: (path) => isVisible(path) && isHidden?.(path) !== true,
  });
}

/** Whether all that a call of git shows the text of are files that it names, each of them permitted. */
export function showsOnly(
  reading: GitReading,
  {
    directories,
    isPermitted,
  }: {
    /** From where a name may be meant: where git runs, and the repository's own. */
    readonly directories: readonly [string, ...string[]];
    readonly isPermitted: (path: string) => boolean;
  },
): boolean {
  const files = reading.files ?? filesAmong(reading.operands, fromDirectory(directories[0]));
  // Only a file that is there is known to be one: after a directory's name there may be anything, or have been.
  const isShown = (word: string): boolean => {
    const paths = directories.map((directory) => fromDirectory(directory)(word));
    if (pathspec.test(word) || (!reading.isInRevision && !paths.some(isFile))) return false;
    return paths.every(isPermitted);
  };
  return files.length > 0 && files.every(isShown);
}

/** What git does not take by the letter in a name. */
const pathspec = /[*?[\\:]/;

/** The files that stand after revisions without a sign between; none where one of the words may be something else. */
function filesAmong(operands: readonly string[], from: (word: string) => string): readonly string[] {
  if (operands.some((word) => pathspec.test(word) || isDirectory(from(word)))) return [];
  return operands.filter((word) => isFile(from(word)));
}

/** As it stands: after a link, `..` is not what its name says. */
export const fromDirectory =
  (directory: string | undefined) =>
  (word: string): string =>
    directory === undefined || isAbsolute(word) ? word : `${directory}/${word}`;

/** Nothing that never ends or waits for somebody: a file, a directory, or not there. */
function isOrdinary(path: string): boolean {
  const status = statusOf(path);
  return status === undefined || status.isFile() || status.isDirectory();
}

const isFile = (path: string): boolean => statusOf(path)?.isFile() === true;
const isDirectory = (path: string): boolean => statusOf(path)?.isDirectory() === true;

function statusOf(path: string): ReturnType<typeof statSync> {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
