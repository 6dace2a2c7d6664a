import { blocksIn, isFields, type Fields } from "../../../messages/fields.js";
import type { Message } from "../../../messages/message.js";
import { isCompactBoundary } from "../../../messages/predicates.js";

/** A path or an identifier that calls have named, or their results; or a number or a quoted text that calls have given. */
export interface UsedName {
  readonly name: string;
  /** Calls that named it; a result counts a fraction. */
  readonly uses: number;
  /** How many calls ago it was last named. */
  readonly age: number;
}

/** Names that are told of, and carried on from one compaction to the next. */
const MOST_CARRIED = 1000;
/** Characters of one input, and of one result, that are looked at: whole files are written and read. */
const INPUT_CHARACTERS = 20_000;
const RESULT_CHARACTERS = 10_000;
const LONGEST_NAME = 200;
const MAX_DEPTH = 20;
/** Calls after which a use weighs half. */
const HALF_LIFE = 50;
/** What a result weighs that shows a name: most of what is shown is never used. */
const SHOWN = 0.15;
/** What a quoted text weighs beside a name: it is longer, and seldom given again. */
const QUOTED = 0.5;

/** What one message names: each of its calls, and each of its results. */
interface Mentions {
  readonly isCall: boolean;
  /** Each once. A list: sets of a few names take more room than the messages. */
  readonly names: readonly string[];
}

const mentions = new WeakMap<Message, readonly Mentions[]>();
const NOTHING: readonly Mentions[] = [];

/** Found once for each message. Asking when a message comes spreads the work over the turns. */
export function mentionsOf(message: Message): readonly Mentions[] {
  let found = mentions.get(message);
  if (found === undefined) {
    found = blocksOf(message).flatMap((block): readonly Mentions[] => {
      if (block["type"] === "tool_use") {
        return [{ isCall: true, names: namesIn(block["input"], INPUT_CHARACTERS, true) }];
      }
      if (block["type"] !== "tool_result") return [];
      const names = namesIn(block["content"], RESULT_CHARACTERS);
      return names.length === 0 ? [] : [{ isCall: false, names }];
    });
    if (found.length === 0) found = NOTHING;
    mentions.set(message, found);
  }
  return found;
}

interface Noted {
  uses: number;
  last: number;
}

/**
 * What the calls of a conversation named, the weightiest first: often, and not long ago. A boundary carries on
 * what was named before it.
 */
export function namesUsed(live: readonly Message[]): readonly UsedName[] {
  const names = new Map<string, Noted>();
  let calls = 0;
  const note = (name: string, uses: number, at: number): void => {
    let known = names.get(name);
    if (known === undefined) names.set(name, (known = { uses: 0, last: at }));
    known.uses += uses;
    known.last = Math.max(known.last, at);
  };
  for (const message of live) {
    for (const { name, uses, age } of carriedBy(message)) note(name, uses, calls - age);
    for (const { isCall, names: inIt } of mentionsOf(message)) {
      if (isCall) calls += 1;
      for (const name of inIt) note(name, isCall ? 1 : SHOWN, calls);
    }
  }
  const weighed = [...names].map(([name, { uses, last }]) => {
    const age = Math.max(0, calls - last);
    const share = /^["'`]/.test(name) ? QUOTED : 1;
    return { name, uses, age, weight: share * Math.log2(1 + uses) * 0.5 ** (age / HALF_LIFE) };
  });
  return weighed
    .toSorted((a, b) => b.weight - a.weight || (a.name < b.name ? -1 : 1))
    .slice(0, MOST_CARRIED)
    .map(({ name, uses, age }) => ({ name, uses, age }));
}

const blocksOf = (message: Message): readonly Fields[] =>
  message.type === "user" || message.type === "assistant" ? blocksIn(message.message?.content) : [];

/** Lists that were made here: their names need not be checked again. */
const ownLists = new WeakSet<object>();

/** What a boundary holds for the next compaction. */
export function namesToCarry(names: readonly UsedName[]): readonly UsedName[] {
  const list = names.map(({ name, uses, age }) => ({ name, uses: Math.round(uses * 100) / 100, age }));
  ownLists.add(list);
  return list;
}

/** Metadata comes from files and may be anything. */
function carriedBy(message: Message): readonly UsedName[] {
  const metadata: unknown = isCompactBoundary(message) ? message.compactMetadata : undefined;
  const list = isFields(metadata) ? metadata["namesUsed"] : undefined;
  if (!Array.isArray(list)) return [];
  const isOwn = ownLists.has(list);
  return list.slice(0, MOST_CARRIED).flatMap((entry: unknown): readonly UsedName[] => {
    if (!isFields(entry)) return [];
    const { name, uses, age } = entry;
    if (typeof name !== "string" || !(isOwn || isListed(name))) return [];
    return [{ name, uses: countOf(uses), age: countOf(age) }];
  });
}

const isListed = (name: string): boolean =>
  name.replace(VALUE, "") === "" ? name.length <= LONGEST_VALUE : isName(name) && WHOLE_WORD.test(name);

/** Nothing was used more often, or longer ago. */
const MOST_COUNTED = 1_000_000;

const countOf = (value: unknown): number =>
  typeof value === "number" && value > 0 ? Math.min(value, MOST_COUNTED) : 0;

/** What is written in other scripts than ASCII: their letters, not their punctuation, blanks and line ends. */
const LETTERS = "\\u00c0-\\u1fff\\u3040-\\ufdff\\uff10-\\uffdc";
const CHARACTERS = `[\\w$@~./+\\-${LETTERS}]`;
/**
 * A word of a path or an identifier; what stands around it in code, shells and prose is none of it. Only those that have what
 * names have: most words are plain ones.
 */
const WORD = new RegExp(`(?<!${CHARACTERS})(?=${CHARACTERS}*?(?:[/._\\d]|[a-z][A-Z]))${CHARACTERS}{3,}`, "g");
const WHOLE_WORD = new RegExp(`^${CHARACTERS}+$`);
const CHARACTER = new RegExp(CHARACTERS);

/** The names in a text, each once. */
export function namesInText(text: string, into: Set<string> = new Set()): Set<string> {
  for (const word of text.match(WORD) ?? []) {
    const name = trimmed(word);
    if (isName(name)) into.add(name);
  }
  return into;
}

/** Numbers from three digits on, and what stands in quotation marks on one line, if it is short and plain. */
const VALUE = /(?<![\w.])\d{3,}(?:\.\d+)*(?![\w.])|(["'`])\w[\w $@~./+,:;%=|#*-]{2,39}\1/g;
const LONGEST_VALUE = 42;

/** The names in one call's input or result; of an input its values too. */
function namesIn(value: unknown, mostCharacters: number, hasValues = false): readonly string[] {
  const names = new Set<string>();
  let left = mostCharacters;
  const walk = (part: unknown, depth: number): void => {
    if (left <= 0 || depth > MAX_DEPTH) return;
    if (typeof part === "string" || (hasValues && typeof part === "number")) {
      const text = String(part);
      const looked = wholeWords(text, left);
      left -= text.length;
      namesInText(looked, names);
      for (const [given] of hasValues ? looked.matchAll(VALUE) : []) {
        if (!isName(given.slice(1, -1))) names.add(given);
      }
    } else if (Array.isArray(part)) for (const item of part) walk(item, depth + 1);
    else if (isFields(part) && part["type"] !== "image") walk(Object.values(part), depth);
  };
  walk(value, 0);
  return [...names];
}

/** The beginning of a text, without the word that its end would cut. */
function wholeWords(text: string, length: number): string {
  if (text.length <= length) return text;
  let end = length;
  if (CHARACTER.test(text.charAt(end))) while (CHARACTER.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

const isPunctuation = (code: number): boolean => code === 46 || code === 43 || code === 45 || code === 47;

/** Without the punctuation of the sentence it stood in. */
function trimmed(word: string): string {
  let end = word.length;
  while (end > 0 && isPunctuation(word.charCodeAt(end - 1))) end -= 1;
  const isSigned = isPunctuation(word.charCodeAt(0)) && isPunctuation(word.charCodeAt(1));
  const start = isSigned && !word.startsWith("./") && !word.startsWith("../") ? 1 : 0;
  return start === 0 && end === word.length ? word : word.slice(start, end);
}

const FILE_NAME = new RegExp(`^[\\w$@\\-${LETTERS}]+(?:\\.[\\w$\\-${LETTERS}]+)+$`);
const IDENTIFIER = new RegExp(`^[A-Za-z_$@${LETTERS}][\\w$\\-${LETTERS}]{3,}$`);
/** Nobody writes like that but in code: an underscore or a digit after something, or a capital inside. */
const CODED = /.[_\d]|[a-z][A-Z]|^_/;
const LETTER = new RegExp(`[A-Za-z${LETTERS}]`);
const TWO_LETTERS = new RegExp(`[A-Za-z${LETTERS}]{2}`);

/** A path, a file name, or a word that only stands in code. */
function isName(word: string): boolean {
  if (word.length < 3 || word.length > LONGEST_NAME) return false;
  // Most words are none: what rules them out comes first.
  const isOne = word.includes("/")
    ? TWO_LETTERS.test(word)
    : (CODED.test(word) && IDENTIFIER.test(word)) || (word.includes(".") && FILE_NAME.test(word));
  return isOne && LETTER.test(word) && word.isWellFormed();
}
