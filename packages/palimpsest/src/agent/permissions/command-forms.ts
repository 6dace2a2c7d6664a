import { parseShell } from "../../shell/parse-shell.js";
import {
  writtenText,
  type ParsedShell,
  type ShellCommand,
  type ShellWord,
} from "../../shell/shell-command.js";
import {
  patternOf,
  readRoughly,
  withoutJoinedLines,
  wordsInRow,
  type RoughOpening,
  type RoughReading,
  type RoughWords,
} from "../../shell/rough-words.js";
import { squeeze, type CommandPattern } from "./command-pattern.js";
import { baseName, isFedWithCommands, isShell, runsOthers } from "./running-programs.js";

/** Everything that a command may come down to, for rules that forbid. */
export interface CommandForms {
  /** Simple commands, each in all ways of writing it. */
  readonly whole: readonly string[];
  /** Words of which each may begin a command. */
  readonly rows: readonly RoughWords[];
  /** Beginnings of commands that go on with a word that is computed. */
  readonly openings: readonly RoughOpening[];
  /** Why there may be more in it than that. */
  readonly doubt?: "too long" | "computed";
}

/** Longer commands are run by nobody. */
const MAX_CHARACTERS = 120_000;

/**
 * All that a command may come down to: without quotes, without what is set in front of it, without options between a
 * program and what it is to do, without the programs that only run another, as what it hands to another shell. Of a
 * command that is not clear every word may begin one. Rather too much than too little; a command that hides on purpose
 * is still not always found. Takes time in proportion to the text.
 */
export function formsOf(text: string, parsed: ParsedShell): CommandForms {
  if (text.length > MAX_CHARACTERS) return { whole: [], rows: [], openings: [], doubt: "too long" };
  const written = [squeeze(text), squeeze(withoutJoinedLines(text))];
  // What is not understood may run anything: it is asked for, if the words in it are not forbidden anyway.
  if (parsed.kind === "unclear") return { ...fromRough(written, [readRoughly(text)]), doubt: "computed" };
  const isFed = parsed.commands.some(isFedWithCommands);
  const all = parsed.commands.map(formsOfCommand);
  const rough = all.flatMap(({ rough }) => rough);
  const forms = fromRough(
    [...written, ...all.flatMap(({ whole }) => whole)],
    isFed ? [...rough, readRoughly(text)] : rough,
  );
  const isUnsure = all.some((one) => one.isUnsure);
  return {
    whole: forms.whole,
    rows: [...all.flatMap(({ rows }) => rows), ...forms.rows],
    openings: [...all.flatMap(({ openings }) => openings), ...forms.openings],
    ...(isUnsure ? { doubt: "computed" } : {}),
  };
}

const fromRough = (whole: readonly string[], readings: readonly RoughReading[]): CommandForms => ({
  whole: Array.from(new Set(whole)),
  rows: readings.flatMap(({ views }) => views),
  openings: readings.flatMap(({ openings }) => openings),
  ...(readings.some(({ hasUnknownProgram }) => hasUnknownProgram) ? { doubt: "computed" } : {}),
});

interface FormsOfCommand {
  readonly whole: readonly string[];
  readonly rows: readonly RoughWords[];
  readonly openings: readonly RoughOpening[];
  readonly rough: readonly RoughReading[];
  readonly isUnsure: boolean;
}

const isComputed = ({ isExpanded, isGlob, isBrace }: ShellWord): boolean => isExpanded || isGlob || isBrace;

function formsOfCommand(command: ShellCommand): FormsOfCommand {
  const [program, ...rest] = command.words;
  if (program === undefined) {
    return { whole: [writtenText(command)], rows: [], openings: [], rough: [], isUnsure: false };
  }
  const [, ...values] = command.words.map(({ value }) => value);
  const name = baseName(program.value);
  const runs = runsOthers(program.value, rest);
  const holdsText = runs === "text" || (runs === "words" && values.some((value) => /\s/.test(value)));
  const rough = holdsText ? readRoughly(values.join(" ")) : undefined;
  const mayRunComputed = runs === "words" || isShell(name);
  return {
    whole: [
      writtenText(command),
      command.words.map(({ raw }) => raw).join(" "),
      [program.value, ...values].join(" "),
      [name, ...values].join(" "),
    ],
    rows: [afterOptions(name, values), ...(runs === "no" ? [] : [wordsInRow(values)])],
    openings: openingsOf(name, rest),
    rough: rough === undefined ? [] : [rough],
    isUnsure:
      (isComputed(program) && program.raw !== "[") ||
      changesMeaning(name, values) ||
      (mayRunComputed && (rest.some(isComputed) || rough?.hasUnknownProgram === true)) ||
      (isShell(name) && values.some(isUnclear)),
  };
}

/** Parts of the shell by which the words after them come to mean other programs, or that run a text. */
const renaming: ReadonlySet<string> = new Set(
  "alias shopt enable hash bind complete compgen trap".split(" "),
);

/** After it, or in it, programs run that no word names as such. */
function changesMeaning(name: string, values: readonly string[]): boolean {
  if (renaming.has(name)) return true;
  if (name === "env") return values.some((value) => /^-[^-]*S|^--s/.test(value));
  if (name !== "git") return false;
  return values.some((value) => /^(?:-c|--config-env|--exec-path)/.test(value));
}

/** A text for another shell that is no clearer than it would be in this one. */
const isUnclear = (value: string): boolean =>
  /[^\w./=:@%+-]/.test(value) && parseShell(value).kind === "unclear";

/** `git -C x --no-pager push` is `git push`, too: any number of options, and of their values, left out. */
function afterOptions(lead: string, values: readonly string[]): RoughWords {
  const { text } = wordsInRow(values);
  const starts: number[] = [];
  let at = 0;
  for (const [index, value] of values.entries()) {
    const isReached =
      index === 0 ||
      values[index - 1]?.startsWith("-") === true ||
      values[index - 2]?.startsWith("-") === true;
    if (!isReached) break;
    if (index > 0) starts.push(at);
    at += value.length + 1;
  }
  return { lead, text, starts };
}

/** The words in front of the first that is computed. */
function openingsOf(name: string, rest: readonly ShellWord[]): readonly RoughOpening[] {
  const at = rest.findIndex(isComputed);
  const word = rest[at];
  if (word === undefined) return [];
  const before = [name, ...rest.slice(0, at).map(({ value }) => value)].join(" ");
  return [{ before, pattern: patternOf(word.value) }];
}

/** Whether a rule that forbids means some form of a command. */
export const isMeant = (pattern: CommandPattern, { whole, rows, openings }: CommandForms): boolean =>
  whole.some((text) => pattern.matches(text)) ||
  rows.some((row) => pattern.beginsIn(row)) ||
  openings.some((opening) => pattern.mayGoOnFrom(opening));
