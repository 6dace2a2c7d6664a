/** A word of a command as it is written, and as the shell hands it on as far as that can be told. */
export interface ShellWord {
  readonly raw: string;
  readonly value: string;
  /** Holds a variable. */
  readonly isExpanded: boolean;
  /** Holds `*`, `?`, `[` or `{` outside of quotes. */
  readonly isPattern: boolean;
}

export type ShellToken =
  | { readonly kind: "word"; readonly word: ShellWord }
  | { readonly kind: "separator"; readonly text: string }
  | { readonly kind: "redirection"; readonly text: string };

/** What a command says cannot be told from its text alone. */
export class UnclearCommand extends Error {}

const separators = /(?:&&|\|\||\|&|;|\||&(?!>)|\n)/y;
const redirections = /(?:\d*(?:<<|<>|<&|>>|>&|>\||<|>)|&>>|&>)/y;
const variable = /\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\}|[?@*#$!0-9-])/y;

/** The text at a place, if the pattern fits there. */
function taken(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** Words, separators and redirections. Throws `UnclearCommand` for substitutions, groups and quotes left open. */
export function shellTokens(text: string): readonly ShellToken[] {
  const tokens: ShellToken[] = [];
  let at = 0;
  while (at < text.length) {
    const character = text[at] ?? "";
    const separator = taken(separators, text, at);
    const redirection = taken(redirections, text, at);
    if (character === " " || character === "\t") at += 1;
    else if (text.startsWith("\\\n", at)) at += 2;
    else if (character === "#") at = endOfLine(text, at);
    else if (redirection !== undefined) {
      at += redirection.length;
      if (redirection.endsWith("<<")) throw new UnclearCommand("it holds a here-document");
      if (text[at] === "(") throw new UnclearCommand("it holds a substitution");
      tokens.push({ kind: "redirection", text: redirection });
    } else if (separator !== undefined) {
      at += separator.length;
      tokens.push({ kind: "separator", text: separator });
    } else {
      const read = readWord(text, at);
      at = read.end;
      tokens.push({ kind: "word", word: read.word });
    }
  }
  return tokens;
}

const endOfLine = (text: string, at: number): number => {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
};

function readWord(text: string, start: number): { readonly word: ShellWord; readonly end: number } {
  let at = start;
  let value = "";
  let isExpanded = false;
  let isPattern = false;
  let isQuoted = false;
  for (; at < text.length;) {
    const character = text[at] ?? "";
    if (character === "\0" || character === "\r") throw new UnclearCommand("it holds control characters");
    if (character === "`") throw new UnclearCommand("it holds a substitution");
    if (character === "$") {
      const name = taken(variable, text, at);
      if (name === undefined && /[([{'"]/.test(text[at + 1] ?? "")) {
        throw new UnclearCommand("it holds a substitution");
      }
      isExpanded ||= name !== undefined;
      value += name ?? "$";
      at += name?.length ?? 1;
    } else if (character === "\\") {
      const next = text[at + 1];
      if (next === undefined) throw new UnclearCommand("it ends with a backslash");
      const isEscape = !isQuoted || /[$`"\\\n]/.test(next);
      if (next !== "\n") value += isEscape ? next : `\\${next}`;
      at += 2;
    } else if (character === '"') {
      isQuoted = !isQuoted;
      at += 1;
    } else if (isQuoted) {
      value += character;
      at += 1;
    } else if (character === "'") {
      const end = text.indexOf("'", at + 1);
      if (end < 0) throw new UnclearCommand("a quote is left open");
      value += text.slice(at + 1, end);
      at = end + 1;
    } else if (character === "(" || character === ")") {
      throw new UnclearCommand("it holds a group");
    } else if (/[\s;&|<>]/.test(character)) {
      break;
    } else {
      isPattern ||= /[*?[{]/.test(character);
      value += character;
      at += 1;
    }
  }
  if (isQuoted) throw new UnclearCommand("a quote is left open");
  // Blanks that the shell does not know as such would be taken for the end of a word for ever.
  if (at === start) throw new UnclearCommand("it holds control characters");
  return { word: { raw: text.slice(start, at), value, isExpanded, isPattern }, end: at };
}
