import { matchesPattern } from "@palimpsest/core";
import type { ShellWord } from "./shell-tokens.js";
import { splitCommand, withoutAssignments, type SimpleCommand } from "./split-command.js";

/** Whether one simple command, its words with one space between them, is meant by a rule. */
export type CommandMatcher = (text: string) => boolean;

const squeeze = (text: string): string => text.trim().replaceAll(/\s+/g, " ");

/**
 * `npm test` means exactly this, `npm test:*` and `npm test *` everything that starts with these words, and a `*`
 * elsewhere any text.
 */
export function compileCommandPattern(content: string): CommandMatcher {
  const pattern = squeeze(content);
  const stem = pattern.replace(/(?::| )\*$/, "");
  if (stem !== pattern && !stem.includes("*")) {
    return (text) => text === stem || text.startsWith(`${stem} `);
  }
  const glob = pattern.replace(/:\*$/, " *");
  return glob.includes("*") ? (text) => matchesPattern(text, glob) : (text) => text === glob;
}

/** A command as it is written: what rules that allow are held against. */
export const writtenText = ({ words }: SimpleCommand): string => words.map(({ raw }) => raw).join(" ");

const MAX_DEPTH = 2;
const MAX_SUFFIXES = 12;

/** Programs that run the program behind them. */
const wrappers: ReadonlySet<string> = new Set(
  "sudo doas env nohup time nice ionice timeout stdbuf setsid command builtin exec xargs chroot watch busybox".split(
    " ",
  ),
);
/** Programs that take a command as a word. */
export const shells: ReadonlySet<string> = new Set("sh bash zsh dash ksh fish eval su ssh".split(" "));

/**
 * Everything that a command may come down to, for rules that forbid: without quotes, without what is set in front
 * of it, without the programs that only run another, as what it hands to another shell. Rather too much than too
 * little; a command that hides on purpose is still not always found.
 */
export function possibleTexts(command: string, depth = 0): readonly string[] {
  const split = splitCommand(command);
  const texts = new Set([squeeze(command)]);
  const add = (all: readonly string[]): void => {
    for (const text of all) texts.add(text);
  };
  if (split.kind === "split") for (const simple of split.commands) add(textsOf(simple.words, depth));
  else add(roughPieces(command).flatMap((piece) => textsOfPiece(piece, depth)));
  return Array.from(texts);
}

function textsOfPiece(piece: string, depth: number): readonly string[] {
  const split = splitCommand(piece);
  if (split.kind === "split") return split.commands.flatMap(({ words }) => textsOf(words, depth));
  const plain = squeeze(piece.replaceAll(/['"\\]/g, ""));
  return textsOfValues(plain.split(" "), depth);
}

function textsOf(words: readonly ShellWord[], depth: number): readonly string[] {
  const values = withoutAssignments(words).map(({ value }) => value);
  return [writtenText({ words, redirections: [] }), ...textsOfValues(values, depth)];
}

function textsOfValues(values: readonly string[], depth: number): readonly string[] {
  const [name = "", ...rest] = values;
  const base = name.split("/").at(-1) ?? name;
  const texts = [values.join(" "), [base, ...rest].join(" ")];
  if (wrappers.has(base)) {
    const suffixes = rest.slice(0, MAX_SUFFIXES).map((_, index) => rest.slice(index));
    if (depth < MAX_DEPTH) texts.push(...suffixes.flatMap((suffix) => textsOfValues(suffix, depth + 1)));
  }
  if (shells.has(base) && depth < MAX_DEPTH) {
    const handed = [...rest.slice(0, 4).filter((word) => /\s/.test(word)), rest.join(" ")];
    texts.push(...handed.flatMap((inner) => possibleTexts(inner, depth + 1)));
  }
  for (const [index, word] of rest.entries()) {
    if (/^-(?:exec|ok)(?:dir)?$/.test(word)) texts.push(rest.slice(index + 1).join(" "));
  }
  return texts;
}

/** Where commands could begin in a text that cannot be split with certainty. */
const roughPieces = (command: string): readonly string[] =>
  command
    .split(/[;&|\n\r`(){}<>]|\$\(|\b(?:then|do|else)\b/)
    .map((piece) => piece.trim())
    .filter((piece) => piece !== "");
