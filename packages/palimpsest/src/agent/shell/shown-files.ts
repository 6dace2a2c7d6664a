import type { ShellWord } from "../../shell/shell-command.js";
import { expandAll, fromDirectory, showsOnly } from "./read-only-command.js";
import { readGit } from "./read-only-git.js";
import { readOnlyPrograms } from "./read-only-programs.js";
import { inspectRepository } from "./safe-repository.js";
import { isVisibleTree } from "./visible-tree.js";

/** Programs of the list that show no file. */
const saying: ReadonlySet<string> = new Set("echo true false pwd test [ date basename dirname".split(" "));

/** Programs that look for files by themselves: what they find with options that are not known is not known either. */
const searching: ReadonlySet<string> = new Set(
  "grep egrep fgrep zgrep zegrep zfgrep rgrep rg ag ack ugrep diff".split(" "),
);

/** Commands of git that show the text of files, whichever their options. */
const showing: ReadonlySet<string> = new Set(
  `annotate archive blame bundle cat-file diff diff-files diff-index diff-tree difftool fast-export format-patch grep
   log range-diff show whatchanged`.split(/\s+/),
);
/** Those that show it where they are asked for changes piece by piece. */
const showingPieces: ReadonlySet<string> = new Set("add checkout commit reset restore stash".split(" "));

export interface ShownFilesOptions {
  readonly directory: string;
  readonly home: string;
  /** Whether rules hide a file, told by its absolute path. */
  readonly isHidden: (path: string) => boolean;
  /** False as soon as the disk was asked often enough. */
  readonly mayLook: () => boolean;
}

/** A program that shows text of files. */
export const showsFiles = (program: string): boolean =>
  program === "git" || searching.has(program) || (readOnlyPrograms.has(program) && !saying.has(program));

/**
 * Whether a call of such a program may show the text of a file that a rule hides: also one that no word of it names. It
 * does not matter whether it may be run at all, or what else it does.
 */
export function mayShowHidden(
  program: string,
  rest: readonly ShellWord[],
  { directory, home, isHidden, mayLook }: ShownFilesOptions,
): boolean {
  if (!mayLook() || rest.some(({ isExpanded }) => isExpanded)) return true;
  const isVisible = (): boolean => true;
  const written = rest.map(({ value, isGlob, isTilde }) => ({
    text: isTilde ? value.replace(/^~(?=\/|$)/, () => home) : value,
    hasGlob: isGlob,
  }));
  // Names with braces are held against the rules one by one; here they stand for themselves.
  const words = rest.some(({ isBrace }) => isBrace)
    ? written.map(({ text }) => text)
    : expandAll(written, { directory, isVisible, mayLook });
  if (words === undefined) return true;
  const from = fromDirectory(directory);
  if (program === "git") return mayGitShow(words, { directory, isHidden });
  const reading = readOnlyPrograms.get(program)?.(words);
  if (reading === undefined) return searching.has(program);
  const { files, trees = [], followsLinks, showsNamesOnly = false } = reading;
  return (
    (!showsNamesOnly && files.some((file) => !mayLook() || isHidden(from(file)))) ||
    !trees.every((tree) => isVisibleTree(from(tree), { isVisible, isHidden, followsLinks, mayLook }))
  );
}

function mayGitShow(
  words: readonly string[],
  { directory, isHidden }: Pick<ShownFilesOptions, "directory" | "isHidden">,
): boolean {
  const reading = readGit(words);
  if (reading === undefined) return mayUnknownGitShow(words);
  if (!reading.showsText) return false;
  let place = directory;
  for (const word of reading.directories) place = fromDirectory(place)(word);
  const repository = inspectRepository(place);
  const top = repository.kind === "safe" ? [repository.top] : [];
  return !showsOnly(reading, { directories: [place, ...top], isPermitted: (path) => !isHidden(path) });
}

const withValue: ReadonlySet<string> = new Set("-C -c --git-dir --work-tree --namespace".split(" "));

function mayUnknownGitShow(words: readonly string[]): boolean {
  let at = 0;
  while (words[at]?.startsWith("-") === true) at += withValue.has(words[at] ?? "") ? 2 : 1;
  const command = words[at] ?? "";
  const rest = words.slice(at + 1);
  if (showing.has(command)) return true;
  const asksForPieces = rest.some((word) => /^-[^-]*p|^--patch/.test(word));
  return (showingPieces.has(command) && asksForPieces) || (command === "stash" && rest[0] === "show");
}
