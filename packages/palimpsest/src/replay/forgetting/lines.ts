import { collapseSpace } from "../measures/collapse-space.js";

const NUMBER_PREFIX = /^\s*\d+(?:→|\t|:|\||-)\s?/;
const MIN_CHARACTERS = 16;
const LETTERS = /\p{L}{3}/u;

/**
 * A line as it is compared: without the number that a tool put before it, without white space at its ends, inner runs
 * of white space as one blank. Undefined for what is too short to be remembered, or has no word in it.
 */
export function normalLine(raw: string): string | undefined {
  if (raw.length < MIN_CHARACTERS) return undefined;
  const line = collapseSpace(raw.replace(NUMBER_PREFIX, ""));
  return line.length >= MIN_CHARACTERS && LETTERS.test(line) ? line : undefined;
}

/** The normal lines of a text in their order. */
export function normalLines(text: string): readonly string[] {
  const lines: string[] = [];
  for (const raw of text.split("\n")) {
    const line = normalLine(raw);
    if (line !== undefined) lines.push(line);
  }
  return lines;
}

const ESCAPED_BREAK = "\\n";
const LITERAL = /"(?:[^"\\]|\\.)*"/g;

/**
 * The keys of all normal lines that a reader of a text sees; of what JSON wrote in one line, the lines that stand in
 * it too. A key may come more than once.
 */
export function lineKeys(text: string): readonly number[] {
  const keys: number[] = [];
  for (const raw of text.split("\n")) {
    const line = normalLine(raw);
    if (line === undefined) continue;
    keys.push(keyOf(line));
    if (!line.includes(ESCAPED_BREAK)) continue;
    for (const inner of escapedTexts(raw)) for (const one of normalLines(inner)) keys.push(keyOf(one));
  }
  return keys;
}

/** The strings of several lines that a line of JSON holds; what was cut off is read as far as it goes. */
function escapedTexts(raw: string): readonly string[] {
  const literals = raw.match(LITERAL)?.filter((literal) => literal.includes(ESCAPED_BREAK)) ?? [];
  const parts = raw.split(ESCAPED_BREAK).map((part) => `"${part.replaceAll(/^"|(?<!\\)"$/g, "")}"`);
  return [...literals, ...parts].flatMap((literal) => {
    try {
      const text: unknown = JSON.parse(literal);
      return typeof text === "string" ? [text] : [];
    } catch {
      return [];
    }
  });
}

/** A number for a text: 53 bits of a hash. What has the same one is taken for the same. */
export function keyOf(text: string): number {
  let low = 0x811c9dc5;
  let high = 0x2b7e1516;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul((high ^ (high >>> 15)) + code, 0x2c1b3c6d);
  }
  return (mixed(high) >>> 11) * 2 ** 32 + mixed(low);
}

function mixed(hash: number): number {
  let value = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
