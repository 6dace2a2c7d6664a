/** One word of a command, without its quotes. */
interface ShellWord {
  readonly text: string;
  /** The shell may put names of files in its place. */
  readonly hasGlob: boolean;
}

/** A program with its arguments. */
export type SimpleCommand = readonly ShellWord[];

const controls = /[\u0000-\u0008\u000a-\u001f\u007f]/;

/** Redirections that touch no file: what is said goes nowhere, or to the other output. */
const harmlessRedirection = /(?:[12]?>>?[ \t]*\/dev\/null|2>&1|1?>&2)(?=[ \t;|&]|$)/y;

/**
 * The simple commands of a line, where it is nothing but simple commands joined by `|`, `&&`, `||` and `;`.
 * Undefined for everything else that a shell understands: substitutions, variables, redirections into files,
 * groups, background, escapes outside of quotes, several lines.
 */
export function readSimpleCommands(line: string): readonly SimpleCommand[] | undefined {
  if (controls.test(line)) return undefined;
  const commands: ShellWord[][] = [];
  let words: ShellWord[] = [];
  let word: { text: string; hasGlob: boolean } | undefined;
  const endWord = (): void => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at);
    if (word === undefined) {
      harmlessRedirection.lastIndex = at;
      if (harmlessRedirection.test(line)) {
        at = harmlessRedirection.lastIndex - 1;
        continue;
      }
      if (character === "#" || character === "!" || character === "~") return undefined;
    }
    if (character === " " || character === "\t") {
      endWord();
      continue;
    }
    if (character === ";" || character === "|" || character === "&") {
      const isDouble = line.charAt(at + 1) === character;
      if (character === "&" && !isDouble) return undefined;
      if (character === ";" && isDouble) return undefined;
      if (isDouble) at++;
      endWord();
      if (words.length === 0) return undefined;
      commands.push(words);
      words = [];
      continue;
    }
    word ??= { text: "", hasGlob: false };
    if (character === "'" || character === '"') {
      const quoted = character === "'" ? singleQuoted(line, at) : doubleQuoted(line, at);
      if (quoted === undefined) return undefined;
      word.text += quoted.text;
      at = quoted.end;
      continue;
    }
    if ("$`(){}<>\\".includes(character)) return undefined;
    if (character === "~" && /[=:]$/.test(word.text)) return undefined;
    if ("*?[".includes(character)) word.hasGlob = true;
    word.text += character;
  }
  endWord();
  if (words.length === 0) return undefined;
  return [...commands, words];
}

interface Quoted {
  readonly text: string;
  /** Where the closing quote stands. */
  readonly end: number;
}

function singleQuoted(line: string, start: number): Quoted | undefined {
  const end = line.indexOf("'", start + 1);
  return end < 0 ? undefined : { text: line.slice(start + 1, end), end };
}

function doubleQuoted(line: string, start: number): Quoted | undefined {
  let text = "";
  for (let at = start + 1; at < line.length; at++) {
    const character = line.charAt(at);
    if (character === '"') return { text, end: at };
    if (character === "$" || character === "`") return undefined;
    if (character === "\\" && '"\\$`'.includes(line.charAt(at + 1))) {
      if (at + 1 >= line.length) return undefined;
      at++;
      text += line.charAt(at);
    } else {
      text += character;
    }
  }
  return undefined;
}
