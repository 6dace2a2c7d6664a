import { createRandom, type Random } from "../random.js";
import { words } from "./words.js";

/** Text of one make-up, as conversations hold it. */
export interface TextKind {
  readonly name: string;
  /** About so many characters, always the same for a seed. */
  readonly make: (characters: number, seed: number) => string;
}

type Line = (random: Random) => string;

const times = (count: number, make: (index: number) => string, separator = ""): string =>
  Array.from({ length: count }, (_, index) => make(index)).join(separator);

const ofCharacters = (random: Random, alphabet: string, count: number): string => {
  const signs = Array.from(alphabet);
  return times(count, () => random.pick(signs));
};

const lines =
  (line: Line) =>
  (characters: number, seed: number): string => {
    const random = createRandom(seed);
    let text = "";
    while (text.length < characters) text += `${line(random)}\n`;
    return text;
  };

/** Sentences of words that a language has. */
function prose(language: string, { joint = " ", stop = "." } = {}): Line {
  const known = (words[language] ?? "").split(" ");
  return (random) => times(8 + random.below(14), () => random.pick(known), joint) + stop;
}

const HEX = "0123456789abcdef";
const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const LOWER = "abcdefghijklmnopqrstuvwxyz";
const letters = Array.from(LOWER);
const names = [
  "user",
  "order",
  "index",
  "cacheWindow",
  "parseRequest",
  "buffer",
  "MAX_TOKENS",
  "value",
  "handleError",
  "config",
];
const range = (first: number, last: number): string =>
  times(last - first + 1, (index) => String.fromCodePoint(first + index));
const number = (random: Random, most: number): string => String(random.below(most));
const stamp = (random: Random): string =>
  `2026-${number(random, 12)}-${number(random, 28)}T${number(random, 24)}:${number(random, 60)}:${number(random, 60)}.${number(random, 999)}Z`;

const makers: Readonly<Record<string, (characters: number, seed: number) => string>> = {
  // People's languages.
  ...Object.fromEntries(
    Object.keys(words).map((language) => [
      language,
      lines(
        language === "chinese" || language === "japanese"
          ? prose(language, { joint: "", stop: "。" })
          : prose(language),
      ),
    ]),
  ),
  // Dense symbols.
  map: lines((random) => ofCharacters(random, ".#", 140)),
  "map with units": lines((random) => ofCharacters(random, "....##~~@$T^", 100)),
  "box drawing": lines((random) => ofCharacters(random, "│─┌┐└┘├┤┬┴┼ █▓▒░", 80)),
  braille: lines((random) => ofCharacters(random, range(0x2801, 0x28ff), 80)),
  regex: lines(
    (random) =>
      `^(?:${times(6, () => random.pick(["[^\\s]+?", "(?!\\\\.)", "\\d{1,3}", "(?<=\\$)", "[\\w.+-]*", "\\/\\/?", "|(?:%[\\dA-F]{2})+"]))})$`,
  ),
  bits: lines((random) => ofCharacters(random, "01", 128)),
  "spaced bits": lines((random) => times(64, () => number(random, 2), " ")),
  jsfuck: lines((random) =>
    times(24, () => random.pick(["[]", "(![]+[])", "[+[]]", "+", "!+[]", "[!+[]+!+[]]", "(+!![])"])),
  ),
  brainfuck: lines((random) => ofCharacters(random, "+-<>[].,", 90)),
  "english with a map": lines((random) =>
    random.below(2) === 0 ? prose("english")(random) : ofCharacters(random, ".#", 100),
  ),
  emoji: lines((random) => ofCharacters(random, "😀😂🥰🚀🔥👍🏽👩‍💻🎉🐛✅❌⚠️🇩🇪🇯🇵🧠💾📦🛠️", 40)),
  mathematics: lines((random) => ofCharacters(random, "∀∃∈∉⊂⊆∪∩∧∨¬⇒⇔≤≥≠≈∞∂∇∫∑∏√αβγδελμπσφω ", 70)),
  arrows: lines((random) => ofCharacters(random, "←↑→↓↔⇐⇑⇒⇓▲▼◆●○■□★☆♠♣♥♦", 60)),
  "combining marks": lines((random) =>
    times(30, () => random.pick(letters) + ofCharacters(random, range(0x300, 0x36f), 3)),
  ),
  morse: lines((random) => times(30, () => ofCharacters(random, ".-", 1 + random.below(4)), " ")),
  "chess positions": lines(
    (random) =>
      `${times(8, () => ofCharacters(random, "rnbqkpRNBQKP12345678", 5), "/")} ${random.pick(["w", "b"])} KQkq - ${number(random, 50)} ${number(random, 90)}`,
  ),
  // What programs print.
  base64: lines((random) => ofCharacters(random, BASE64, 76)),
  hex: lines((random) => ofCharacters(random, HEX, 64)),
  "hex dump": lines(
    (random) =>
      `${ofCharacters(random, HEX, 8)}  ${times(16, () => ofCharacters(random, HEX, 2), " ")}  |${ofCharacters(random, `${LOWER}....`, 16)}|`,
  ),
  uuids: lines((random) => [8, 4, 4, 4, 12].map((length) => ofCharacters(random, HEX, length)).join("-")),
  csv: lines((random) =>
    [
      number(random, 99_999),
      random.pick(names),
      (random.next() * 1000).toFixed(2),
      stamp(random),
      random.pick(["", "true", "false"]),
    ].join(","),
  ),
  numbers: lines((random) => times(10, () => (random.next() * 2 - 1).toFixed(6), "\t")),
  log: lines(
    (random) =>
      `${stamp(random)} ${random.pick(["INFO", "WARN", "DEBUG", "ERROR"])} [worker-${number(random, 16)}] ${random.pick(names)}: ${prose("english")(random)} took=${number(random, 900)}ms`,
  ),
  "stack trace": lines(
    (random) =>
      `    at ${random.pick(names)}.${random.pick(names)} (/srv/app/src/${random.pick(names)}/${random.pick(names)}.js:${number(random, 900)}:${number(random, 90)})`,
  ),
  "file list": lines(
    (random) =>
      `-rw-r--r-- 1 root root ${number(random, 99_999).padStart(7)} Nov ${number(random, 28)} 0${number(random, 9)}:${10 + random.below(49)} packages/${random.pick(names)}/src/${random.pick(names)}.ts`,
  ),
  diff: lines(
    (random) =>
      random.pick(["+", "-", " ", " "]) +
      `  const ${random.pick(names)} = ${random.pick(names)}(${random.pick(names)}, ${number(random, 99)});`,
  ),
  "progress bars": lines(
    (random) =>
      `[${"=".repeat(random.below(40))}>${" ".repeat(random.below(40))}] ${number(random, 100)}% ${number(random, 900)}/s`,
  ),
  "test output": lines(
    (random) =>
      ` ${random.pick(["✓", "✗", "↓"])} ${random.pick(names)} > ${prose("english")(random)} ${number(random, 300)}ms`,
  ),
  // Code and data.
  typescript: lines((random) =>
    random.pick([
      `export function ${random.pick(names)}(${random.pick(names)}: string): number {`,
      `  const ${random.pick(names)} = await ${random.pick(names)}({ ${random.pick(names)}: ${number(random, 100)} });`,
      `  if (${random.pick(names)} === undefined) return ${number(random, 10)};`,
      `}`,
      `  // ${prose("english")(random)}`,
    ]),
  ),
  python: lines((random) =>
    random.pick([
      `def ${random.pick(names).toLowerCase()}(self, ${random.pick(names).toLowerCase()}=None):`,
      `    for i in range(${number(random, 100)}):`,
      `        self.${random.pick(names).toLowerCase()}[i] = ${random.pick(names).toLowerCase()} or {}`,
      `    return {"${random.pick(names)}": [x ** 2 for x in ${random.pick(names).toLowerCase()}]}`,
    ]),
  ),
  "minified code": lines((random) =>
    times(
      12,
      () =>
        `${random.pick(["function ", "var ", "return ", "if(", "for(var "])}${ofCharacters(random, LOWER, 1)}${random.pick(["=", "(", "?", ".", "&&"])}${ofCharacters(random, LOWER, 2)}(${ofCharacters(random, LOWER, 1)},${number(random, 9)})${random.pick([";", "}", ":", ",", "||!"])}`,
    ),
  ),
  json: lines(
    (random) =>
      `{"id":${number(random, 99_999)},"name":"${random.pick(names)}","tags":["${random.pick(names)}","${random.pick(names)}"],"ok":${random.pick(["true", "false", "null"])},"at":"${stamp(random)}"},`,
  ),
  yaml: lines(
    (random) =>
      `${"  ".repeat(random.below(4))}${random.pick(["- ", ""])}${random.pick(names)}: ${random.pick([random.pick(names), number(random, 999), "true"])}`,
  ),
  html: lines(
    (random) =>
      `<div class="${random.pick(names)} ${random.pick(names)}" data-id="${number(random, 999)}"><a href="/x/${number(random, 999)}?q=${random.pick(names)}">${random.pick(names)}</a></div>`,
  ),
  sql: lines(
    (random) =>
      `SELECT ${random.pick(names)}, COUNT(*) FROM ${random.pick(names)} WHERE ${random.pick(names)} > ${number(random, 99)} GROUP BY ${random.pick(names)} ORDER BY 2 DESC LIMIT ${number(random, 99)};`,
  ),
  latex: lines(
    (random) =>
      `\\begin{equation} \\frac{\\partial ${random.pick(letters)}}{\\partial t} = \\sum_{i=${number(random, 9)}}^{n} \\alpha_{i} x^{${number(random, 9)}} + \\mathcal{O}(\\epsilon^{2}) \\end{equation}`,
  ),
  "markdown table": lines(
    (random) =>
      `| ${times(5, () => random.pick([random.pick(names), number(random, 9999), "—", "**yes**"]), " | ")} |`,
  ),
  assembler: lines(
    (random) =>
      `    ${random.pick(["mov", "lea", "xor", "cmp", "jne", "vaddps"])}  ${random.pick(["rax", "rdi", "%xmm0", "[rbp-0x18]"])}, ${random.pick(["rsi", "0x7f", "qword ptr [rip+0x2fe3]", "r12d"])}`,
  ),
  urls: lines(
    (random) =>
      `https://www.example.com/${random.pick(names)}/${number(random, 999)}/${ofCharacters(random, BASE64.slice(0, 62), 22)}?${random.pick(names)}=${number(random, 99)}&utm_source=${random.pick(names)}`,
  ),
  tokens: lines((random) =>
    [36, 120, 43].map((length) => ofCharacters(random, `${BASE64.slice(0, 62)}-_`, length)).join("."),
  ),
  "capital letters": lines((random) => prose("english")(random).toUpperCase()),
  dna: lines((random) => ofCharacters(random, "ACGT", 80)),
  "spaced columns": lines((random) => times(6, () => random.pick(names).padEnd(18 + random.below(4)))),
  "one long line": (characters, seed) => ofCharacters(createRandom(seed), LOWER, characters),
};

/** Text as people and tools bring it: languages, dense symbols, output of programs, code. */
export const textKinds: readonly TextKind[] = Object.entries(makers).map(([name, make]) => ({ name, make }));
