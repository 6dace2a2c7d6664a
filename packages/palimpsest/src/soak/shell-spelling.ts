import type { Random } from "../bench/random.js";

/** A word in one of its spellings, all of which bash reads as the same. */
export function word(plain: string, random: Random): string {
  const at = random.below(plain.length + 1);
  const [head, tail] = [plain.slice(0, at), plain.slice(at)];
  const hex = (letter: string): string => `\\x${letter.charCodeAt(0).toString(16)}`;
  return random.pick([
    () => plain,
    () => plain,
    () => `${head}''${tail}`,
    () => `${head}""${tail}`,
    () => `"${plain}"`,
    () => `'${head}'"${tail}"`,
    () => `${head}\\\n${tail}`,
    () => `\\${plain}`,
    () => `$'${plain}'`,
    () => `$'${hex(plain)}${plain.slice(1)}'`,
    () => `$"${plain}"`,
    () => `${head}$(true)${tail}`,
    () => `${head}$unset${tail}`,
    () => `\${unset:-${plain}}`,
    () => `$(echo ${plain})`,
    () => `${head}{,}${tail}`,
    () => (plain === "touch" ? random.pick(["/usr/bin/touch", "/usr/bin/touc?", "/usr/bin/[t]ouch"]) : plain),
  ])();
}

export const blank = (random: Random): string =>
  random.pick([" ", " ", " ", "  ", "\t", " \\\n", "\\\n ", "$IFS''", "${IFS}", "\\\n\t\\\n"]);

const signs = [
  "\\\n",
  "'",
  '"',
  "\\",
  "$",
  "`",
  "(",
  ")",
  "{",
  "}",
  ";",
  "&",
  "|",
  "<",
  ">",
  "\n",
  " ",
  "#",
  "!",
  "=",
  "*",
  "?",
  "[",
  "]",
  "~",
  "\r",
  "\t",
  "\u00a0",
  "$'",
  "$(",
  "${",
  "))",
  "((",
  "<<",
  "''",
  "\\\\",
];

/** One small change somewhere. */
export function mutate(text: string, random: Random): string {
  const at = random.below(text.length + 1);
  const kind = random.below(8);
  const [head, tail] = [text.slice(0, at), text.slice(at)];
  if (kind < 3) return `${head}\\\n${tail}`;
  if (kind < 5) return `${head}${random.pick(signs)}${tail}`;
  if (kind < 6) return head + tail.slice(1);
  if (kind < 7) return `${head}${tail.slice(0, 1)}${tail}`;
  const other = random.below(text.length + 1);
  const piece = text.slice(Math.min(at, other), Math.min(at, other) + 6);
  return `${head}${piece}${tail}`;
}
