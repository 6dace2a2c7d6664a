import type { ShellRedirection, ShellWord } from "./shell-command.js";

export type ShellToken =
  | { readonly kind: "word"; readonly word: ShellWord }
  | { readonly kind: "separator"; readonly text: "|" | "|&" | "&&" | "||" | ";" | "&" | "\n" }
  | {
      readonly kind: "redirection";
      readonly text: ShellRedirection["operator"];
      /** The channel in front of it, where one is written. */
      readonly channel?: string;
    };

/** What a command says cannot be told from its text alone. */
export class UnclearCommand extends Error {}

const SUBSTITUTION = "it holds a substitution";
const OPEN_QUOTE = "a quote is left open";
const UNCERTAIN_CHARACTER = "it holds a character that shells do not agree on";

/** What a shell or a terminal may take for something else, and halves of characters: they reach no shell as they are. */
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|\p{Cs}/u;
/** Outside of ASCII what is a visible character is a part of a word. */
const visible = /[\p{L}\p{N}\p{M}\p{P}\p{S}]/u;
const plain = /[\w%+,\-./:=@^!~*?[\]{}#]/;

/** Reads a command from its start to its end, each character a bounded number of times. */
export class ShellLexer {
  readonly #text: string;
  #at = 0;
  /** How often a character was looked at. */
  steps = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The next token; undefined at the end. Throws `UnclearCommand` for everything that is not on the list. */
  next(): ShellToken | undefined {
    if (this.#at === 0 && controls.test(this.#text)) throw new UnclearCommand("it holds control characters");
    for (;;) {
      const character = this.#peek();
      if (character === " " || character === "\t") this.#at += 1;
      else if (character === "#") this.#skipComment();
      else break;
    }
    const character = this.#peek();
    if (character === "") return undefined;
    if (character === "<" || character === ">") return this.#redirection();
    if (/[\n;&|]/.test(character)) return this.#separator();
    const word = this.#word();
    const follows = this.#peek();
    if (follows === "<" || follows === ">") {
      if (/^\{\w+\}$/.test(word.raw)) throw new UnclearCommand("it names a channel by a variable");
      if (/^\d+$/.test(word.raw)) return { ...this.#redirection(), channel: word.raw };
    }
    return { kind: "word", word };
  }

  /** The next character, joined lines left out; empty at the end. */
  #peek(): string {
    this.steps += 1;
    while (this.#text.startsWith("\\\n", this.#at)) {
      this.#refuseHalves();
      this.#at += 2;
      this.steps += 1;
    }
    return this.#text.charAt(this.#at);
  }

  /** In some old encodings a backslash after a letter that is not ASCII is the second half of that letter. */
  #refuseHalves(): void {
    if (this.#text.charCodeAt(this.#at - 1) > 0x7f) throw new UnclearCommand(UNCERTAIN_CHARACTER);
  }

  /** Steps over the next character if it is this one. */
  #takes(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at += 1;
    return true;
  }

  /** Up to the end of the line: a backslash joins no lines here. */
  #skipComment(): void {
    const end = this.#text.indexOf("\n", this.#at);
    this.#at = end < 0 ? this.#text.length : end;
  }

  #redirection(): ShellToken & { readonly kind: "redirection" } {
    const isInput = this.#takes("<");
    if (!isInput) this.#at += 1;
    const next = this.#peek();
    if (next === "(") throw new UnclearCommand(SUBSTITUTION);
    if (isInput && next === "<") throw new UnclearCommand("it holds a here-document");
    const text = isInput
      ? this.#takes("&")
        ? "<&"
        : this.#takes(">")
          ? "<>"
          : "<"
      : this.#takes(">")
        ? ">>"
        : this.#takes("&")
          ? ">&"
          : this.#takes("|")
            ? ">|"
            : ">";
    return { kind: "redirection", text };
  }

  #separator(): ShellToken {
    if (this.#takes("\n")) return { kind: "separator", text: "\n" };
    if (this.#takes(";")) {
      if (this.#peek() === ";" || this.#peek() === "&") throw new UnclearCommand("it holds control flow");
      return { kind: "separator", text: ";" };
    }
    if (this.#takes("|")) {
      const text = this.#takes("|") ? "||" : this.#takes("&") ? "|&" : "|";
      return { kind: "separator", text };
    }
    this.#at += 1;
    if (this.#takes("&")) return { kind: "separator", text: "&&" };
    if (!this.#takes(">")) return { kind: "separator", text: "&" };
    return { kind: "redirection", text: this.#takes(">") ? "&>>" : "&>" };
  }

  #word(): ShellWord {
    let raw = "";
    let value = "";
    let isExpanded = false;
    let isGlob = false;
    let isBrace = false;
    let isTilde = false;
    let isQuoted = false;
    /** The character that was read last; none at the start. */
    let last = "";
    const literal = (text: string): void => {
      raw += text;
      value += text;
      this.#at += text.length;
    };
    for (;;) {
      const character = this.#peek();
      if (character === "") break;
      const before = last;
      last = character;
      if (character === "`") throw new UnclearCommand(SUBSTITUTION);
      const text = character === "$" && isQuoted ? this.#textFromCat() : undefined;
      if (text !== undefined) {
        raw += text.raw;
        value += text.value;
      } else if (character === "$") {
        const read = this.#dollar(isQuoted);
        raw += read.text;
        value += read.text;
        isExpanded ||= read.isVariable;
      } else if (character === "\\") {
        const next = this.#text.charAt(this.#at + 1);
        this.#refuseHalves();
        if (next === "") throw new UnclearCommand("it ends with a backslash");
        raw += character + next;
        value += isQuoted && !'$`"\\'.includes(next) ? character + next : next;
        this.#at += 2;
      } else if (character === '"') {
        isQuoted = !isQuoted;
        raw += character;
        this.#at += 1;
      } else if (isQuoted) {
        literal(character);
      } else if (character === "'") {
        const end = this.#text.indexOf("'", this.#at + 1);
        if (end < 0) throw new UnclearCommand(OPEN_QUOTE);
        raw += this.#text.slice(this.#at, end + 1);
        value += this.#text.slice(this.#at + 1, end);
        this.steps += end - this.#at;
        this.#at = end + 1;
      } else if (/[ \t\n;&|<>]/.test(character)) {
        break;
      } else if (character === "(" || character === ")") {
        throw new UnclearCommand("it holds a group");
      } else {
        isGlob ||= "*?[".includes(character);
        isBrace ||= character === "{";
        isTilde ||= character === "~" && "=:".includes(before);
        literal(this.#ordinary(character));
      }
    }
    if (isQuoted) throw new UnclearCommand(OPEN_QUOTE);
    const word = { raw, value, isExpanded, isGlob, isBrace, isTilde };
    if (isTilde) refuseOtherHomes(word);
    return word;
  }

  /** A character that stands for itself outside of quotes. */
  #ordinary(character: string): string {
    if (plain.test(character)) return character;
    const whole = String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0);
    if (whole > "\u007f" && visible.test(whole)) return whole;
    throw new UnclearCommand(UNCERTAIN_CHARACTER);
  }

  /**
   * `"$(cat <<'END' … END )"`, by which people write messages of several lines: its text, where every shell reads it as
   * nothing but text. Old ones look for quotes and brackets in it.
   */
  #textFromCat(): { readonly raw: string; readonly value: string } | undefined {
    if (!this.#text.startsWith("$(cat <<", this.#at)) return undefined;
    textFromCat.lastIndex = this.#at;
    const [raw, , end = "", body = ""] = textFromCat.exec(this.#text) ?? [];
    this.steps += raw?.length ?? 1;
    // A line that begins like its end ends it, in some shells also if it goes on: what follows would run.
    if (raw === undefined || `\n${body}`.includes(`\n${end}`) || !isOnlyText(body)) return undefined;
    this.#at += raw.length;
    return { raw, value: body.replace(/\n+$/, "") };
  }

  /** A variable by its name alone, or a dollar that stands for itself. */
  #dollar(isQuoted: boolean): { readonly text: string; readonly isVariable: boolean } {
    this.#at += 1;
    const next = this.#peek();
    if (/[A-Za-z_]/.test(next)) return { text: `$${this.#variable()}`, isVariable: true };
    if (/[?@*#$!\-0-9]/.test(next)) {
      this.#at += 1;
      return { text: `$${next}`, isVariable: true };
    }
    if (next === "{") {
      this.#at += 1;
      const name = this.#variable();
      if (!/^[A-Za-z_]/.test(name) || !this.#takes("}")) throw new UnclearCommand(SUBSTITUTION);
      return { text: `\${${name}}`, isVariable: true };
    }
    const isPlain = next === "" || (next <= "\u007f" && !"([`".includes(next));
    if (!isPlain || (!isQuoted && (next === "'" || next === '"'))) throw new UnclearCommand(SUBSTITUTION);
    return { text: "$", isVariable: false };
  }

  #variable(): string {
    let name = "";
    for (let next = this.#peek(); /\w/.test(next); next = this.#peek()) {
      name += next;
      this.#at += 1;
    }
    // The last word of the command before: whoever writes the one decides what the other is given.
    if (name === "_") throw new UnclearCommand("it holds $_");
    return name;
  }
}

const textFromCat = /\$\(cat <<(['"]?)([A-Za-z_]\w{0,30})\1\n((?:[^\n]*\n)*?)\2\n[ \t\n]*\)/y;

/** Without quotes, substitutions, escapes and controls, and with brackets that close what they open. */
function isOnlyText(body: string): boolean {
  if (!/^[^'"`$\\\p{Cc}]*$/u.test(body.replaceAll(/[\n\t]/g, " "))) return false;
  let open = 0;
  for (const character of body) {
    open += character === "(" ? 1 : character === ")" ? -1 : 0;
    if (open < 0) return false;
  }
  return open === 0 && !/(?:^|\s)(?:case|esac|#)/m.test(body);
}

/** `~` and `~/x` are the person's own home; `~name`, `~+` and `~-` are places that only the shell knows. */
function refuseOtherHomes({ raw }: ShellWord): void {
  const isOwn = raw.startsWith("~")
    ? /^~(?:\/|$)/.test(raw)
    : !/^[A-Za-z_]\w*\+?=/.test(raw) || !/[=:]~[^/:]/.test(raw);
  if (!isOwn) throw new UnclearCommand("it names the home of somebody by name");
}
