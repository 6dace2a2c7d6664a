/**
 * The options that a program may be given. Whatever is not listed is not known, and what is not known is not harmless.
 */
export interface ProgramOptions {
  /** Letters; one with `:` after it takes a value, one with `?` may have one glued to it. */
  readonly short?: string;
  /** Names without dashes; with `=` one takes a value, with `[=` it may have one after a sign, with `==` two words. */
  readonly long?: string;
  /** `-20` stands for a count. */
  readonly hasCounts?: boolean;
}

/** The words of a call, taken apart. */
export interface ParsedWords {
  /** What was given, by name without dashes, with its values. */
  readonly options: ReadonlyMap<string, readonly string[]>;
  /** Words that are neither options nor values, those after `--` included. */
  readonly operands: readonly string[];
  /** How many of the operands stand before `--`; undefined without one. */
  readonly before: number | undefined;
}

export type OptionParser = (words: readonly string[]) => ParsedWords | undefined;

type Arity = "none" | "glued" | "one" | "two";

/** A parser of a program's words that knows the listed options alone, by their full names: undefined for any other. */
export function createOptionParser({
  short = "",
  long = "",
  hasCounts = false,
}: ProgramOptions): OptionParser {
  const letters = new Map<string, Arity>();
  for (const [, letter = "", sign] of short.matchAll(/(.)([:?]?)/g)) {
    letters.set(letter, sign === ":" ? "one" : sign === "?" ? "glued" : "none");
  }
  const names = new Map<string, Arity>();
  for (const entry of long.split(/\s+/)) {
    const [name = "", sign = ""] = /^([\w-]+)(\[?=*)$/.exec(entry)?.slice(1) ?? [];
    if (name !== "")
      names.set(name, sign === "==" ? "two" : sign === "=" ? "one" : sign === "" ? "none" : "glued");
  }
  return (words) => {
    const options = new Map<string, string[]>();
    const operands: string[] = [];
    let before: number | undefined;
    const note = (name: string, values: readonly string[]): void => {
      options.set(name, [...(options.get(name) ?? []), ...values]);
    };
    for (let at = 0; at < words.length; at += 1) {
      const word = words[at] ?? "";
      const take = (count: number): readonly string[] | undefined => {
        const taken = words.slice(at + 1, at + 1 + count);
        at += count;
        return taken.length === count ? taken : undefined;
      };
      if (before !== undefined || !word.startsWith("-") || word === "-") operands.push(word);
      else if (word === "--") before = operands.length;
      else if (hasCounts && /^-\d+$/.test(word)) note("count", [word.slice(1)]);
      else if (word.startsWith("--")) {
        const sign = word.indexOf("=");
        const name = word.slice(2, sign < 0 ? undefined : sign);
        const arity = names.get(name);
        if (arity === undefined) return undefined;
        if (sign >= 0) {
          if (arity === "none" || arity === "two") return undefined;
          note(name, [word.slice(sign + 1)]);
        } else {
          const values = arity === "one" ? take(1) : arity === "two" ? take(2) : [];
          if (values === undefined) return undefined;
          note(name, values);
        }
      } else {
        for (let letter = 1; letter < word.length; letter += 1) {
          const name = word.charAt(letter);
          const arity = letters.get(name);
          if (arity === undefined) return undefined;
          if (arity === "none") {
            note(name, []);
            continue;
          }
          const glued = word.slice(letter + 1);
          const values = glued !== "" ? [glued] : arity === "one" ? take(1) : [];
          if (values === undefined) return undefined;
          note(name, values);
          break;
        }
      }
    }
    return { options, operands, before };
  };
}
