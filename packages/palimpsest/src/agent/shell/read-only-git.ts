import { gitCommands, type GitCommand } from "./git-commands.js";
import type { ParsedWords } from "./program-options.js";

/** What a call of git that only shows something looks at. */
export interface GitReading {
  /** Directories of `-C`, one after the other. */
  readonly directories: readonly string[];
  readonly command: string;
  /** Revisions and paths, in the words of the call. */
  readonly operands: readonly string[];
  /** The text of files is shown, not names and messages alone. */
  readonly showsText: boolean;
  /** The files whose text is shown, where the call says that they are files; else they are among the operands. */
  readonly files: readonly string[] | undefined;
  /** The files are named inside of a revision: what is a directory there is only listed. */
  readonly isInRevision: boolean;
}

const WITHOUT_VALUE: ReadonlySet<string> = new Set(["--no-pager", "-P", "--no-optional-locks"]);

/** What a call of git with these words looks at; undefined for one that is not known to do nothing else. */
export function readGit(words: readonly string[]): GitReading | undefined {
  const directories: string[] = [];
  let at = 0;
  for (; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (word === "-C") {
      at += 1;
      directories.push(words[at] ?? "");
    } else if (!WITHOUT_VALUE.has(word)) break;
  }
  const [name = "", ...rest] = words.slice(at);
  const plain = {
    directories,
    command: name,
    operands: [],
    showsText: false,
    files: [],
    isInRevision: false,
  };
  // Seen from a shell, a dash is the directory before.
  if (directories.some((directory) => directory === "" || directory.startsWith("-"))) return undefined;
  if (name === "--version" || name === "version") return rest.length === 0 ? plain : undefined;
  const command = gitCommands.get(name);
  const parsed = command?.parse(rest);
  if (command === undefined || parsed === undefined || !isShowing(command, parsed)) return undefined;
  const showsText = command.showsText(parsed);
  const blobs = showsText ? blobsOf(name, parsed) : undefined;
  return {
    ...plain,
    operands: parsed.operands,
    showsText,
    files: blobs ?? (showsText ? namedFiles(name, parsed) : []),
    isInRevision: blobs !== undefined,
  };
}

/** Placeholders that have a signature checked, by a program, or that show what is named as it is stored. */
const signature = /%G|signature|%\(\*?raw/i;

function isShowing({ allows }: GitCommand, parsed: ParsedWords): boolean {
  const layouts = ["format", "pretty", "sort"].flatMap((name) => parsed.options.get(name) ?? []);
  if (layouts.some((layout) => signature.test(layout))) return false;
  const submodules = parsed.options.get("ignore-submodules") ?? [];
  if (submodules.some((value) => value !== "all" && value !== "dirty")) return false;
  return allows?.(parsed) !== false;
}

/** The paths of `show REVISION:PATH` and `cat-file -p REVISION:PATH`, where all that is shown is named like this. */
function blobsOf(name: string, { operands, before }: ParsedWords): readonly string[] | undefined {
  if ((name !== "show" && name !== "cat-file") || before !== undefined || operands.length === 0)
    return undefined;
  const shown = name === "cat-file" ? operands.slice(-1) : operands;
  const paths = shown.flatMap((word) => /^[^:]+:(?!\/)(.+)$/s.exec(word)?.[1] ?? []);
  return paths.length === shown.length ? paths : undefined;
}

/** The files of which a call shows the text, as far as it says so. */
function namedFiles(name: string, { operands, options, before }: ParsedWords): readonly string[] | undefined {
  if (name === "blame") return operands.slice(-1);
  const lines = (options.get("L") ?? []).map((range) => range.slice(range.lastIndexOf(":") + 1));
  if (lines.length > 0) return lines;
  return before === undefined || before === operands.length ? undefined : operands.slice(before);
}
