import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { ShellCommand } from "../../shell/shell-command.js";
import { realPathOf } from "./real-path.js";

export interface CommandDirectoryOptions {
  readonly start: string;
  /** Whether a path, links followed, is one that may be worked in. */
  readonly isInside: (path: string) => boolean;
}

const MAX_MOVES = 16;
const MAX_PLACES = 4;

/** Parts of the shell that lead it elsewhere, or that change what the commands after them mean. */
const changing: ReadonlySet<string> = new Set(
  `cd chdir pushd popd dirs eval source . trap alias unalias builtin command enable exec export declare typeset local
   readonly read mapfile readarray getopts let set shopt unset return break continue shift hash bind complete compopt
   compgen fc history logout suspend umask ulimit caller disown bg fg`.split(/\s+/),
);

/**
 * For each simple command the directories of which it may run in one, and at the end those in which the shell may be
 * left; undefined where that cannot be told. A `cd` is
 * followed in one form: `cd X && …` with a plain name of a folder that is there and lies inside. What stands after
 * the end of such a chain may run where the `cd` led, or where it did not. Every other way to move, and whatever changes
 * the shell itself, makes all after it uncertain.
 */
export function directoriesOf(
  commands: readonly ShellCommand[],
  { start, isInside }: CommandDirectoryOptions,
): readonly (readonly string[] | undefined)[] {
  const found: (readonly string[] | undefined)[] = [];
  let here: readonly string[] | undefined = [start];
  /** Where the shell stands if some `cd` of the chain did not happen. */
  let stayed: readonly string[] = [];
  let moves = 0;
  for (const [index, command] of commands.entries()) {
    if (endsChain(command)) {
      here = united(here, stayed);
      stayed = [];
    }
    found.push(here);
    if (here === undefined || !changesShell(command)) continue;
    moves += 1;
    const follows = commands[index + 1];
    const isChained = command.operator !== "||" && (follows === undefined || follows.operator === "&&");
    const target = moves > MAX_MOVES || !isChained ? undefined : targetOf(command);
    stayed = [...stayed, ...here];
    here = target === undefined ? undefined : movedTo(here, target, isInside);
  }
  return [...found, here];
}

function united(
  here: readonly string[] | undefined,
  stayed: readonly string[],
): readonly string[] | undefined {
  if (here === undefined) return undefined;
  const all = Array.from(new Set([...here, ...stayed]));
  return all.length > MAX_PLACES ? undefined : all;
}

const endsChain = ({ operator }: ShellCommand): boolean =>
  operator === ";" || operator === "&" || operator === "||";

function changesShell({ words }: ShellCommand): boolean {
  const [program, option] = words;
  if (program === undefined) return true;
  if (program.value === "command" && /^-[vV]$/.test(option?.value ?? "")) return false;
  return changing.has(program.value);
}

/** The folder of a `cd` that can be followed. */
function targetOf(command: ShellCommand): string | undefined {
  const [program, target, ...more] = command.words;
  if (program?.value !== "cd" || target === undefined || more.length > 0) return undefined;
  if (command.isPiped || command.isBackground || command.assignments.length > 0) return undefined;
  if (command.redirections.some(({ isHarmless }) => !isHarmless)) return undefined;
  if (target.isExpanded || target.isGlob || target.isBrace || target.isTilde) return undefined;
  return target.value === "" || target.value.startsWith("-") ? undefined : target.value;
}

/** Undefined where one of the folders is not there, or lies outside. */
function movedTo(
  from: readonly string[],
  target: string,
  isInside: (path: string) => boolean,
): readonly string[] | undefined {
  const moved = from.map((directory) => resolve(directory, target));
  const areFolders = moved.every((path) => isInside(path) && isInside(realPathOf(path)) && isFolder(path));
  return areFolders ? moved : undefined;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}
