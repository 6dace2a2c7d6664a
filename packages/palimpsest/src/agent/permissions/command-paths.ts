import { resolve } from "node:path";
import { meaningsOf, type CallPlaces, type JudgedCommand } from "./call-facts.js";
import { shells } from "./command-rule.js";
import { isThere } from "./real-path.js";
import { withoutAssignments, type SimpleCommand } from "./split-command.js";

/** Names of one command that the disk is asked about. */
const MAX_NAMES = 2000;
const MAX_PLACES = 8;

/** The files that the words of a command may name: also behind `=`, and glued to a flag. */
function possiblePaths(value: string, places: CallPlaces): readonly string[] {
  if (value.includes("\0")) return [];
  const names = [value];
  const behind = value.indexOf("=");
  if (behind >= 0) names.push(value.slice(behind + 1));
  if (value.startsWith("-")) {
    names.push(value.slice(2));
    if (value.includes("/")) names.push(value.slice(value.indexOf("/")));
  }
  return names.filter((name) => name !== "").flatMap((name) => meaningsOf(name, places));
}

/** Directories behind each other that are kept in mind for the commands behind them. */
const MAX_MOVES = 8;

/**
 * All that the files may mean which a command reads, or into which it is redirected, as far as its words say: seen
 * from where it starts, and from every directory that a `cd` in it could have led to.
 */
export function namedPaths(
  { text, split }: JudgedCommand,
  { kind, places }: { readonly kind: "read" | "edit"; readonly places: CallPlaces },
): readonly string[] {
  const handed = split.kind === "unclear" ? [text] : split.commands.flatMap(handedOn);
  const inside = handed.map(roughWords);
  const clear = split.kind === "unclear" ? [] : split.commands;
  const names = clear.flatMap(({ words, redirections }) => {
    const into = redirections.filter(({ isWrite }) => isWrite === (kind === "edit"));
    const named = into.map(({ target }) => target.value);
    return kind === "edit" ? named : [...words.map(({ value }) => value), ...named];
  });
  const targets = [...clear.flatMap(movesTo), ...inside.flatMap(({ targets }) => targets)];
  const all = reachable(targets.slice(0, MAX_MOVES), places);
  return from([...names, ...inside.flatMap((one) => one.names)], all);
}

/** Where a simple command leads the shell. */
function movesTo({ words }: SimpleCommand): readonly string[] {
  const [name, ...rest] = withoutAssignments(words).map(({ value }) => value);
  return name === "cd" || name === "pushd" ? rest.filter((word) => !word.startsWith("-")) : [];
}

/** What a simple command hands to another shell to run. */
function handedOn({ words }: SimpleCommand): readonly string[] {
  const values = words.map(({ value }) => value);
  const isShell = values.some((value) => shells.has(value.split("/").at(-1) ?? ""));
  return isShell ? values.filter((value) => /\s/.test(value)) : [];
}

/** Words and directories of a text that cannot be split with certainty. */
function roughWords(text: string): {
  readonly names: readonly string[];
  readonly targets: readonly string[];
} {
  const words = new Set(text.split(/[\s;&|()<>`'"={}$]+/).filter((word) => word !== ""));
  const moves = text.matchAll(/\b(?:cd|pushd)\s+["']?([^\s;&|()"']+)/g);
  return {
    names: Array.from(words).slice(0, MAX_NAMES),
    targets: Array.from(moves, ([, target = ""]) => target),
  };
}

const from = (names: readonly string[], all: readonly CallPlaces[]): readonly string[] =>
  all.flatMap((places) => names.flatMap((name) => possiblePaths(name, places)));

/** Where a shell may stand that goes to some of these directories, one after the other. */
function reachable(targets: readonly string[], places: CallPlaces): readonly CallPlaces[] {
  let all: readonly CallPlaces[] = [places];
  for (const target of targets) {
    if (target.includes("\0")) continue;
    const moved = all.flatMap((one) =>
      meaningsOf(target, one).map((workingDirectory) => ({ ...places, workingDirectory })),
    );
    const byDirectory = new Map([...all, ...moved].map((one) => [one.workingDirectory, one]));
    all = Array.from(byDirectory.values()).slice(0, MAX_PLACES);
  }
  return all;
}

/** Where the commands behind a `cd` run; undefined where that cannot be told. */
export function directoryBehind(command: SimpleCommand, places: CallPlaces): string | undefined {
  const [name, target, ...more] = withoutAssignments(command.words);
  if (name?.value !== "cd") return places.workingDirectory;
  if (target === undefined || more.length > 0 || target.isExpanded || target.isPattern) return undefined;
  if (target.value.startsWith("-") || target.value.startsWith("~")) return undefined;
  return resolve(places.workingDirectory, target.value);
}

/**
 * Whether all that a command names and that is there lies inside. Variables are taken for outside; of patterns only
 * the part in front of the first sign counts, and whether links that they meet matter is for the tool to say.
 */
export function staysInside(
  command: SimpleCommand,
  { places, isInside }: { readonly places: CallPlaces; readonly isInside: (path: string) => boolean },
): boolean {
  if (command.redirections.length > 0) return false;
  const [name, ...words] = command.words;
  if (name === undefined || withoutAssignments(command.words)[0] !== name) return false;
  return words.every((word) => {
    if (word.isExpanded || (word.isPattern && word.value.includes(".."))) return false;
    const fixed = word.isPattern ? word.value.replace(/[*?[{][^]*$/, "") : word.value;
    return possiblePaths(fixed, places).every(
      (path) => path === "/dev/null" || isInside(path) || !isThere(path),
    );
  });
}

/** A search through all that is below a directory: what it shows is named by nobody. */
export function showsUnnamedFiles({ words }: SimpleCommand): boolean {
  const [program, ...rest] = withoutAssignments(words).map(({ value }) => value);
  if (program === "rg") return true;
  if (!["grep", "egrep", "fgrep"].includes(program ?? "")) return false;
  return rest.some((word) => /^-[^-]*[rRd]/.test(word) || /^--(?:r|deref|dir)/.test(word));
}
