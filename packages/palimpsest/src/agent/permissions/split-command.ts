import { shellTokens, UnclearCommand, type ShellToken, type ShellWord } from "./shell-tokens.js";

/** One simple command: a program with its arguments. */
export interface SimpleCommand {
  /** Variables that are set for it included. */
  readonly words: readonly ShellWord[];
  /** Files that it reads from or writes to by redirection; `/dev/null` and copies of channels do not count. */
  readonly redirections: readonly Redirection[];
}

interface Redirection {
  readonly target: ShellWord;
  readonly isWrite: boolean;
}

export type SplitCommand =
  | { readonly kind: "split"; readonly commands: readonly SimpleCommand[] }
  /** Says more than simple commands in a row; `why` continues a sentence about the command. */
  | { readonly kind: "unclear"; readonly why: string };

const MAX_CHARACTERS = 20_000;

const keywords: ReadonlySet<string> = new Set(
  "if then else elif fi for while until do done case esac select function coproc time ! { } [[ ]]".split(" "),
);

const harmlessTargets: ReadonlySet<string> = new Set(["/dev/null", "/dev/stdout", "/dev/stderr"]);

const isAssignment = ({ raw }: ShellWord): boolean => /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/.test(raw);

/** The words behind what is set for a command in front of it. */
export function withoutAssignments(words: readonly ShellWord[]): readonly ShellWord[] {
  const first = words.findIndex((word) => !isAssignment(word));
  return first < 0 ? [] : words.slice(first);
}

/**
 * The simple commands of a shell command, for rules that speak about one program. Whatever could run something
 * that is not among them (substitutions, control flow, groups, here-documents, a program whose name is computed)
 * makes the whole unclear.
 */
export function splitCommand(command: string): SplitCommand {
  if (command.length > MAX_CHARACTERS) return { kind: "unclear", why: "it is very long" };
  try {
    return { kind: "split", commands: groupTokens(shellTokens(command)) };
  } catch (error) {
    if (error instanceof UnclearCommand) return { kind: "unclear", why: error.message };
    throw error;
  }
}

function groupTokens(tokens: readonly ShellToken[]): readonly SimpleCommand[] {
  const commands: SimpleCommand[] = [];
  let words: ShellWord[] = [];
  let redirections: Redirection[] = [];
  let redirection: string | undefined;
  let expectsMore = false;
  const close = (separator: string): void => {
    if (redirection !== undefined) throw new UnclearCommand("a redirection leads nowhere");
    if (words.length === 0 && redirections.length === 0) {
      if (separator === "\n") return;
      if (separator !== "" || expectsMore) throw new UnclearCommand("an operator stands alone");
      return;
    }
    refuseKeywords(words);
    commands.push({ words, redirections });
    words = [];
    redirections = [];
    expectsMore = ["&&", "||", "|", "|&"].includes(separator);
  };
  for (const token of tokens) {
    if (token.kind === "separator") close(token.text);
    else if (token.kind === "redirection") {
      if (redirection !== undefined) throw new UnclearCommand("a redirection leads nowhere");
      redirection = token.text;
    } else if (redirection === undefined) words.push(token.word);
    else {
      if (!isHarmless(redirection, token.word)) {
        redirections.push({ target: token.word, isWrite: redirection.includes(">") });
      }
      redirection = undefined;
    }
  }
  close("");
  return commands;
}

const isHarmless = (redirection: string, { value, isExpanded }: ShellWord): boolean =>
  !isExpanded &&
  (harmlessTargets.has(value) || (/^\d*[<>]&$/.test(redirection) && /^(?:\d+-?|-)$/.test(value)));

function refuseKeywords(words: readonly ShellWord[]): void {
  const [name] = withoutAssignments(words);
  if (name === undefined) return;
  if (keywords.has(name.raw)) throw new UnclearCommand("it holds control flow");
  if (name.isExpanded || (name.isPattern && name.raw !== "[")) {
    throw new UnclearCommand("the name of a program is computed");
  }
}
