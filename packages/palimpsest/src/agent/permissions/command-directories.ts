import { statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import type { ShellCommand } from "../../shell/shell-command.js";
import { realPathOf } from "../base/real-path.js";

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

/** Directories of which one is meant; `inside` where it is one that is not there yet; undefined where it may be any. */
export type Places = readonly string[] | "inside" | undefined;

/**
 * For each simple command the directories of which it may run in one, and at the end those in which the shell may be
 * left; undefined where that cannot be told. A `cd` counts where it names a folder that is there and lies inside, by a
 * plain name. In `cd X && …` it has happened for what follows; everywhere else both places count, the new one and the
 * old one. Every other way to move, and whatever changes the shell itself, makes all after it uncertain.
 */
export function directoriesOf(
  commands: readonly ShellCommand[],
  { start, isInside }: CommandDirectoryOptions,
): readonly Places[] {
  const found: Places[] = [];
  let here: Places = [start];
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
    if (moves > MAX_MOVES || !isMoveInside(command, { from: here, isInside })) {
      here = undefined;
      continue;
    }
    const moved = here === "inside" ? here : movedTo(here, targetOf(command) ?? ".");
    const hasHappened = command.operator !== "||" && commands[index + 1]?.operator === "&&";
    if (here !== "inside") stayed = [...stayed, ...here];
    here = hasHappened || here === "inside" ? moved : united(moved, here);
  }
  return [...found, here];
}

/** Whether a command is a `cd` that can lead nowhere but inside, from each of these directories. */
export function isMoveInside(
  command: ShellCommand,
  { from, isInside }: { readonly from: Places; readonly isInside: (path: string) => boolean },
): boolean {
  const target = targetOf(command);
  if (target === undefined || (!Array.isArray(from) && !isAbsolute(target))) return false;
  const starts: readonly string[] = Array.isArray(from) ? from : ["/"];
  return starts
    .map((directory) => resolve(directory, target))
    .every((path) => isInside(path) && isInside(realPathOf(path)));
}

function united(here: Places, stayed: readonly string[]): Places {
  if (here === undefined || here === "inside") return here;
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

function movedTo(from: readonly string[], target: string): Places {
  const moved = from.map((directory) => resolve(directory, target));
  return moved.every(isFolder) ? moved : "inside";
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}
