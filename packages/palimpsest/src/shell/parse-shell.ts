import { harmlessVariables } from "./harmless-variables.js";
import type {
  ParsedShell,
  ShellAssignment,
  ShellCommand,
  ShellOperator,
  ShellRedirection,
  ShellWord,
} from "./shell-command.js";
import { ShellLexer, UnclearCommand, type ShellToken } from "./shell-lexer.js";

const MAX_CHARACTERS = 20_000;
const MAX_COMMANDS = 500;

const keywords: ReadonlySet<string> = new Set(
  "if then else elif fi for while until do done case esac select function coproc time ! { } [[ ]]".split(" "),
);

const harmlessTargets: ReadonlySet<string> = new Set(["/dev/null", "/dev/stdout", "/dev/stderr"]);

/**
 * The simple commands of a shell command, where it is nothing but simple commands: words, quotes, escapes, comments,
 * plain variables, patterns, texts by `"$(cat <<'END' … )"`, redirections and `|`, `|&`, `&&`, `||`, `;`, `&` and ends of lines between them. Lines
 * that a backslash joins are joined first, as a shell does. Whatever else a shell may understand (substitutions,
 * control flow, groups, here-documents, a program whose name is computed, variables that change what programs do)
 * makes the whole unclear, and so does a command that is very long. Takes time in proportion to the text.
 */
export function parseShell(text: string): ParsedShell {
  if (text.length > MAX_CHARACTERS) return { kind: "unclear", why: "it is very long", steps: 0 };
  const lexer = new ShellLexer(text);
  try {
    const commands = new CommandList();
    for (let token = lexer.next(); token !== undefined; token = lexer.next()) commands.add(token);
    return { kind: "clear", commands: commands.end(), steps: lexer.steps };
  } catch (error) {
    if (error instanceof UnclearCommand) return { kind: "unclear", why: error.message, steps: lexer.steps };
    throw error;
  }
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

class CommandList {
  readonly #commands: Mutable<ShellCommand>[] = [];
  #words: ShellWord[] = [];
  #redirections: ShellRedirection[] = [];
  #open: (ShellToken & { readonly kind: "redirection" }) | undefined;
  #operator: ShellOperator | undefined;
  /** Where the list of commands that `&&`, `||` and pipes join began. */
  #start = 0;

  add(token: ShellToken): void {
    if (token.kind === "separator") this.#close(token.text);
    else if (token.kind === "redirection") {
      this.#refuseOpen();
      this.#open = token;
    } else if (this.#open === undefined) this.#words.push(token.word);
    else {
      this.#redirections.push(redirectionOf(this.#open, token.word));
      this.#open = undefined;
    }
  }

  end(): readonly ShellCommand[] {
    this.#refuseOpen();
    const isEmpty = this.#words.length === 0 && this.#redirections.length === 0;
    if (!isEmpty) this.#push();
    else if (this.#expectsMore()) throw new UnclearCommand("an operator stands alone");
    return this.#commands;
  }

  #close(text: (ShellToken & { readonly kind: "separator" })["text"]): void {
    this.#refuseOpen();
    if (this.#words.length === 0 && this.#redirections.length === 0) {
      if (text === "\n") return;
      throw new UnclearCommand("an operator stands alone");
    }
    this.#push();
    this.#operator = text === "\n" ? ";" : text;
    const newest = this.#commands.at(-1);
    if (newest !== undefined && text.startsWith("|") && text !== "||") newest.isPiped = true;
    if (text === "&") {
      for (const command of this.#commands.slice(this.#start)) command.isBackground = true;
    }
    if (text === "&" || text === ";" || text === "\n") this.#start = this.#commands.length;
  }

  #push(): void {
    if (this.#commands.length >= MAX_COMMANDS) throw new UnclearCommand("it holds very many commands");
    const operator = this.#operator;
    const { assignments, words } = dividedWords(this.#words);
    refuseUncertain(words);
    this.#commands.push({
      ...(operator === undefined ? {} : { operator }),
      assignments,
      words,
      redirections: this.#redirections,
      isPiped: operator === "|" || operator === "|&",
      isBackground: false,
    });
    this.#words = [];
    this.#redirections = [];
  }

  #expectsMore(): boolean {
    return this.#operator !== undefined && this.#operator !== ";" && this.#operator !== "&";
  }

  #refuseOpen(): void {
    if (this.#open !== undefined) throw new UnclearCommand("a redirection leads nowhere");
  }
}

function redirectionOf(
  { text, channel = "" }: ShellToken & { readonly kind: "redirection" },
  target: ShellWord,
): ShellRedirection {
  const isCopy = /^[<>]&$/.test(text) && /^(?:[012]-?|-)$/.test(target.raw);
  const isNowhere = target.raw === target.value && harmlessTargets.has(target.value) && text !== "<>";
  return {
    operator: text,
    target,
    isWrite: text.includes(">"),
    isHarmless: /^[012]?$/.test(channel) && (isCopy || isNowhere),
  };
}

function dividedWords(all: readonly ShellWord[]): {
  readonly assignments: readonly ShellAssignment[];
  readonly words: readonly ShellWord[];
} {
  const assignments: ShellAssignment[] = [];
  for (const word of all) {
    const [, name] = /^([A-Za-z_]\w*)\+?=/.exec(word.raw) ?? [];
    if (name === undefined) break;
    if (!harmlessVariables.has(name) || word.raw.startsWith(`${name}+`)) {
      throw new UnclearCommand(`it sets the variable ${name.slice(0, 40)}`);
    }
    assignments.push({ name, word });
  }
  return { assignments, words: all.slice(assignments.length) };
}

function refuseUncertain(words: readonly ShellWord[]): void {
  const [program, ...rest] = words;
  if (program === undefined) return;
  if (keywords.has(program.raw)) throw new UnclearCommand("it holds control flow");
  const isPattern = program.isGlob || program.isBrace;
  if (program.isExpanded || (isPattern && program.raw !== "[")) {
    throw new UnclearCommand("the name of a program is computed");
  }
  if (evaluatesWords(program.value, rest)) {
    throw new UnclearCommand(`${program.value} may evaluate a word of it as a command`);
  }
}

/** Parts of the shell that take a word for the name of a variable, whose index they evaluate like a command. */
const naming: ReadonlySet<string> = new Set(
  "read let declare typeset local export readonly unset mapfile readarray getopts".split(" "),
);

function evaluatesWords(program: string, rest: readonly ShellWord[]): boolean {
  const values = rest.map(({ value }) => value);
  if (program === "printf") return values[0]?.startsWith("-v") === true;
  if (program === "test" || program === "[") return values.some((value) => /^-[vR]$/.test(value));
  if (program === "wait") return values.some((value) => value.startsWith("-p"));
  if (!naming.has(program)) return false;
  return rest.some(({ value, isExpanded, isBrace }) => {
    const name = value.split("=", 1)[0] ?? "";
    return name.includes("[") || isBrace || /^-\w*C/.test(value) || (isExpanded && name.includes("$"));
  });
}
