/** Words in a row, one blank between them. */
export interface RoughWords {
  /** What stands in front of every beginning. */
  readonly lead?: string;
  readonly text: string;
  /** Where in the text a program's name may begin, in rising order. */
  readonly starts: readonly number[];
}

/** Words, and one after them that is computed. */
export interface RoughOpening {
  readonly before: string;
  /** What it may be: each computed part of it is a `*`. */
  readonly pattern: string;
}

/** What can be said of a text that is not known to be simple commands: rather too much than too little. */
export interface RoughReading {
  /** Without quotes and escapes; with what is computed left out, and with it as an end of words. */
  readonly views: readonly RoughWords[];
  readonly openings: readonly RoughOpening[];
  /** Some program's name is nothing but computed. */
  readonly hasUnknownProgram: boolean;
}

/** Words with each of their beginnings, paths also after their last slash. */
export function wordsInRow(words: readonly string[]): RoughWords {
  const starts: number[] = [];
  let at = 0;
  for (const word of words) {
    starts.push(at);
    const slash = word.lastIndexOf("/");
    if (slash >= 0 && slash < word.length - 1) starts.push(at + slash + 1);
    at += word.length + 1;
  }
  return { text: words.join(" "), starts };
}

const expansion = /\$(?:\{[#!]?\w+\}|[A-Za-z_]\w*|[?@*#$!\-0-9])/g;
const commandEnds = /[;&|\n(`]|(?:^|\s)\{(?=\s)/;
/** What may stand in front of a program without being one. */
const leading = /^(?:!|if|then|else|elif|while|until|do|time|coproc|[A-Za-z_]\w*=.*)$/s;

/** Takes time in proportion to the text. */
export function readRoughly(text: string): RoughReading {
  const decoded = withoutJoinedLines(text).replaceAll(/\$'((?:[^'\\]|\\[^])*)'/g, (_, inner: string) =>
    decode(inner),
  );
  const bare = decoded.replaceAll(/\$?"|['\\]/g, "");
  const gone = bare.replaceAll(/\$\(/g, "").replaceAll(expansion, "").replaceAll(/[()`]/g, "");
  const apart = bare.replaceAll(/\$\{\w+:?[-=+?]/g, " ").replaceAll(expansion, " ");
  return {
    views: [
      wordsInRow(wordsOf(gone, /[\s;&|<>]+/)),
      wordsInRow(wordsOf(apart, /[\s;&|<>()`$]+/)),
      wordsInRow(wordsOf(apart, /[\s;&|<>()`$={},!:@]+/)),
    ],
    openings: openingsOf(wordsOf(bare, /[\s;&|<>]+/)),
    hasUnknownProgram: /(?:^|[;&|])\s*`/.test(bare) || bare.split(commandEnds).some(startsComputed),
  };
}

function startsComputed(piece: string): boolean {
  const program = wordsOf(piece, /\s+/).find((word) => !leading.test(word));
  // Names with dots, slashes and signs are names; a part that is made when it runs may make any of it.
  return program !== undefined && /[$`*?[{]/.test(program) && !/^(?:\[\[?|\{)$/.test(program);
}

export const withoutJoinedLines = (text: string): string => text.replaceAll(/\\\r?\n/g, "");

const wordsOf = (text: string, ends: RegExp): readonly string[] =>
  text.split(ends).filter((word) => word !== "");

const MAX_WORDS_OF_OPENING = 4;
const MAX_OPENING = 200;

function openingsOf(words: readonly string[]): readonly RoughOpening[] {
  const openings: RoughOpening[] = [];
  for (const [index, word] of words.entries()) {
    if (word.length > MAX_OPENING || !/[$`*?[{]/.test(word)) continue;
    const pattern = patternOf(word);
    let before = "";
    for (let back = 1; back <= MAX_WORDS_OF_OPENING && index - back >= 0; back += 1) {
      const further = words[index - back] ?? "";
      if (further.length + before.length > MAX_OPENING) break;
      before = before === "" ? further : `${further} ${before}`;
      openings.push({ before, pattern });
    }
  }
  return openings;
}

/** A word with a `*` for each part of it that a shell computes, or may fill in. */
export const patternOf = (value: string): string =>
  value
    .replaceAll(expansion, "*")
    .replace(/(?:\$\(|[`{[])[^]*$/, "*")
    .replaceAll(/[?$]/g, "*");

const letters: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "",
  b: "",
  e: "",
  f: "",
  v: "",
};

/** The text that `$'…'` stands for. */
const decode = (inner: string): string =>
  inner.replaceAll(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|([^]))/g,
    (_, hex?: string, short?: string, long?: string, octal?: string, letter?: string) => {
      if (letter !== undefined) return letters[letter] ?? letter;
      const code =
        octal === undefined
          ? Number.parseInt(hex ?? short ?? long ?? "0", 16)
          : Number.parseInt(octal, 8) % 256;
      return code > 0x10ffff ? "" : String.fromCodePoint(code);
    },
  );
