import { dirname, join } from "node:path";
import type { ShellCommand, ShellWord } from "../../shell/shell-command.js";
import { readRoughly } from "../../shell/rough-words.js";
import { expandBraces, expandWildcards } from "../shell/expand-words.js";
import { meaningsOf, type CallPlaces, type JudgedCommand } from "./call-facts.js";
import { createLookupBudget, type LookupBudget } from "./lookup-budget.js";
import { isThere } from "../base/real-path.js";
import { isFedWithCommands, runsOthers } from "./running-programs.js";

/** Where a shell may stand that some `cd` in a command could have led elsewhere. */
const MAX_PLACES = 8;
const MAX_MOVES = 8;
const MAX_PATTERN = 1000;
const MAX_PATTERNS = 1000;
const MAX_EXPANDED = 20_000;

/** The names of files that a word may hold: also after `=`, and glued to a flag. */
function namesIn(value: string): readonly string[] {
  if (value.includes("\0")) return [];
  const names = [value];
  const behind = value.indexOf("=");
  if (behind >= 0) names.push(value.slice(behind + 1));
  if (value.startsWith("-")) {
    names.push(value.slice(2));
    if (value.includes("/")) names.push(value.slice(value.indexOf("/")));
  }
  return names.filter((name) => name !== "");
}

/** `HEAD:src/a.ts`, `:/src`, `:(icase)a`, `1,5:a.ts`: the names of files that a revision may hold. */
function namesInRevision(value: string): readonly string[] {
  const [, path] = /^[^:]*:(?:\([^)]*\)|[!^/]*)(.+)$/s.exec(value) ?? [];
  if (path === undefined || path.includes("\0")) return [];
  return [path, path.slice(path.lastIndexOf(":") + 1)].filter((name) => name !== "");
}

const MAX_ABOVE = 40;

/** The nearest directory above, or this one, that holds a repository; this one where there is none. */
function topAbove(directory: string): string {
  let at = directory;
  for (let step = 0; step < MAX_ABOVE; step += 1) {
    if (isThere(join(at, ".git"))) return at;
    at = dirname(at);
  }
  return directory;
}

/** What may still be looked at for one command. */
interface PatternBudget {
  patterns: number;
  names: number;
}

/** What the shell, or git, may put in the place of a word, the word itself included; undefined for too many. */
function expansionsOf(
  value: string,
  places: CallPlaces,
  budget: PatternBudget,
): readonly string[] | undefined {
  if (!/[*?[{]/.test(value) || value.includes("\0")) return [value];
  budget.patterns -= 1;
  if (budget.patterns < 0 || value.length > MAX_PATTERN) return undefined;
  const fromHome = (name: string): string =>
    name.startsWith("~/") ? `${places.home}${name.slice(1)}` : name;
  const all = [value];
  for (const name of expandBraces(value) ?? []) {
    const found = expandWildcards(fromHome(name), places.workingDirectory, budget.names);
    if (found === undefined) return undefined;
    budget.names -= found.length;
    all.push(name, ...found);
  }
  return all;
}

/** What the files of a command may mean. */
export interface NamedPaths {
  readonly paths: readonly string[];
  /** False where there is more in the command than was looked at. */
  readonly isComplete: boolean;
  /** Only the shell knows where the files are that it names. */
  readonly isComputed: boolean;
}

/**
 * All that the files may mean which a command reads, or into which it is redirected, as far as its words say: seen
 * from where it starts, and from every directory that a `cd` in it could have led to.
 */
export function namedPaths(
  { text, parsed }: JudgedCommand,
  {
    kind,
    places,
    budget = createLookupBudget(),
    meanings = meaningsOf,
  }: {
    readonly kind: "read" | "edit";
    readonly places: CallPlaces;
    readonly budget?: LookupBudget;
    /** What a name may mean, where not all of it is wanted. */
    readonly meanings?: typeof meaningsOf;
  },
): NamedPaths {
  const clear = parsed.kind === "unclear" ? [] : parsed.commands;
  const isRough = parsed.kind === "unclear" || clear.some(isFedWithCommands);
  const inside = (isRough ? [text] : clear.flatMap(handedOn)).map(roughNames);
  const names = clear.flatMap(({ words, redirections }) => {
    const into = redirections.filter(({ isWrite }) => isWrite === (kind === "edit"));
    const named = into.map(({ target }) => fromVariable(target.value));
    return kind === "edit" ? named : [...words.map(({ value }) => fromVariable(value)), ...named];
  });
  const targets = [...clear.flatMap(movesTo), ...inside.flatMap((one) => one.targets)];
  const rough = new Set(inside.flatMap((one) => one.names));
  const { all, areAll } = reachable(targets, places);
  const hasGit = /git/.test(text);
  const paths: string[] = [];
  let isComplete = areAll;
  const look = (name: string, place: CallPlaces): void => {
    if (budget.takes(name)) paths.push(...meanings(name, place));
    else isComplete = false;
  };
  const patterns = { patterns: MAX_PATTERNS, names: MAX_EXPANDED };
  for (const place of all) {
    const top = hasGit ? { ...place, workingDirectory: topAbove(place.workingDirectory) } : place;
    const found = new Set<string>();
    for (const name of new Set(names)) {
      const expanded = expansionsOf(name, place, patterns);
      if (expanded === undefined) isComplete = false;
      for (const one of expanded ?? [name]) found.add(one);
    }
    // What is not a word for certain is taken for a pattern as long as that costs little.
    for (const name of rough) for (const one of expansionsOf(name, place, patterns) ?? [name]) found.add(one);
    for (const name of found) {
      for (const one of namesIn(name)) look(one, place);
      if (!hasGit) continue;
      for (const one of namesInRevision(name)) {
        look(one, place);
        look(one, top);
      }
    }
  }
  return { paths, isComplete, isComputed: clear.some(movesAnywhere) };
}

/** Where a simple command leads the shell. */
function movesTo({ words }: ShellCommand): readonly string[] {
  const [name, ...rest] = words.map(({ value }) => value);
  if (name !== "cd" && name !== "pushd") return [];
  const targets = rest.filter((word) => !word.startsWith("-")).map(fromVariable);
  return name === "cd" && targets.length === 0 && !rest.includes("-") ? ["~"] : targets;
}

/** Whether only the shell knows where a simple command leads it. */
function movesAnywhere({ words }: ShellCommand): boolean {
  const [program, ...rest] = words;
  if (!/^(?:cd|pushd)$/.test(program?.value ?? "")) return false;
  return rest.some(
    ({ value, isGlob, isBrace }) => isGlob || isBrace || value === "-" || fromVariable(value).includes("$"),
  );
}

/** The two variables of which it is known what they hold, in front of a path. */
const fromVariable = (value: string): string =>
  value.replace(/^\$(?:HOME|\{HOME\})(?=\/|$)/, "~").replace(/^\$(?:PWD|\{PWD\})(?=\/|$)/, ".");

/** What a simple command hands to another program to run. */
function handedOn({ words }: ShellCommand): readonly string[] {
  const [program, ...rest] = words;
  if (program === undefined || runsOthers(program.value, rest) === "no") return [];
  return rest.map(({ value }) => value).filter((value) => /[^\w./:=@%+,~-]/.test(value));
}

/** Words and directories of a text that is not clear. */
function roughNames(text: string): {
  readonly names: readonly string[];
  readonly targets: readonly string[];
} {
  const rows = readRoughly(text).views.map((view) => view.text.split(" "));
  const names = new Set([...text.split(/[\s;&|()<>`'"={}$]+/), ...rows.flat()]);
  const targets = rows.flatMap((words) =>
    words.flatMap((word, index) => {
      const target = words[index + 1];
      if (word !== "cd" && word !== "pushd") return [];
      return target === undefined ? ["~"] : [fromVariable(target), "~"];
    }),
  );
  return { names: Array.from(names).filter((name) => name !== ""), targets };
}

/** All directories in which some of these commands may run; undefined where that cannot be told. */
export function directoriesReached(
  commands: readonly ShellCommand[],
  places: CallPlaces,
): readonly string[] | undefined {
  const { all, areAll } = reachable(commands.flatMap(movesTo), places);
  if (!areAll || commands.some(movesAnywhere)) return undefined;
  return all.map(({ workingDirectory }) => workingDirectory);
}

/** Where a shell may stand that goes to some of these directories, one after the other; not all of very many. */
function reachable(
  named: readonly string[],
  places: CallPlaces,
): { readonly all: readonly CallPlaces[]; readonly areAll: boolean } {
  let all: readonly CallPlaces[] = [places];
  const targets = new Set(named);
  for (const target of Array.from(targets).slice(0, MAX_MOVES)) {
    if (target.includes("\0")) continue;
    const moved = all.flatMap((one) =>
      meaningsOf(target, one).map((workingDirectory) => ({ ...places, workingDirectory })),
    );
    const byDirectory = new Map([...all, ...moved].map((one) => [one.workingDirectory, one]));
    all = Array.from(byDirectory.values()).slice(0, MAX_PLACES);
  }
  return { all, areAll: targets.size <= MAX_MOVES && all.length < MAX_PLACES };
}

/**
 * Whether all that a command names and that is there lies inside. Variables are taken for outside; of patterns only
 * the part in front of the first sign counts, and whether links that they meet matter is for the tool to say.
 */
export function staysInside(
  command: ShellCommand,
  {
    places,
    isInside,
    budget,
  }: {
    readonly places: CallPlaces;
    readonly isInside: (path: string) => boolean;
    readonly budget: LookupBudget;
  },
): boolean {
  if (command.redirections.some(({ isHarmless }) => !isHarmless)) return false;
  const [program, ...words] = command.words;
  if (program === undefined || command.assignments.length > 0) return false;
  return words.every((word) => {
    const fixed = fixedPart(word);
    if (word.isExpanded || (fixed !== word.value && word.value.includes(".."))) return false;
    return namesIn(fixed).every(
      (name) =>
        budget.takes(name) &&
        meaningsOf(name, places).every((path) => path === "/dev/null" || isInside(path) || !isThere(path)),
    );
  });
}

const fixedPart = ({ value, isGlob, isBrace }: ShellWord): string =>
  isGlob || isBrace ? value.replace(/[*?[{][^]*$/, "") : value;
