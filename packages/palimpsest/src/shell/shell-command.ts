/** A word of a command as it is written, and as the shell hands it on as far as that can be told. */
export interface ShellWord {
  /** As written, without joined lines (`\` before the end of a line). */
  readonly raw: string;
  /** Without quotes and escapes. Variables stand in it by their names. */
  readonly value: string;
  /** Holds a variable. */
  readonly isExpanded: boolean;
  /** Holds `*`, `?` or `[` outside of quotes. */
  readonly isGlob: boolean;
  /** Holds `{` outside of quotes. */
  readonly isBrace: boolean;
  /** Holds a `~` that may stand for a home. */
  readonly isTilde: boolean;
}

/** A variable that is set in front of a command, or by a command of nothing else. */
export interface ShellAssignment {
  readonly name: string;
  /** The whole of it, its name included. */
  readonly word: ShellWord;
}

export interface ShellRedirection {
  readonly operator: "<" | "<>" | "<&" | ">" | ">>" | ">|" | ">&" | "&>" | "&>>";
  readonly target: ShellWord;
  readonly isWrite: boolean;
  /** Goes nowhere, or to one of the three channels that every program has: it touches no file. */
  readonly isHarmless: boolean;
}

/** What stands between two simple commands. The end of a line counts as `;`. */
export type ShellOperator = "|" | "|&" | "&&" | "||" | ";" | "&";

/** One simple command: a program with its arguments. */
export interface ShellCommand {
  /** What stands in front of it; left out for the first. */
  readonly operator?: ShellOperator;
  readonly assignments: readonly ShellAssignment[];
  /** The program and its arguments; none where nothing but variables are set or files opened. */
  readonly words: readonly ShellWord[];
  readonly redirections: readonly ShellRedirection[];
  /** Part of a pipeline of several: it runs in a shell of its own. */
  readonly isPiped: boolean;
  /** Nobody waits for it: it runs in a shell of its own, together with those that `&&` and `||` join to it. */
  readonly isBackground: boolean;
}

/** `steps` counts how often a character was looked at. */
export type ParsedShell =
  | { readonly kind: "clear"; readonly commands: readonly ShellCommand[]; readonly steps: number }
  /** Says more than simple commands in a row; `why` continues a sentence about the command. */
  | { readonly kind: "unclear"; readonly why: string; readonly steps: number };

/** A command as it is written: what rules that allow are held against. */
export const writtenText = ({ assignments, words }: ShellCommand): string =>
  [...assignments.map(({ word }) => word), ...words].map(({ raw }) => raw).join(" ");
