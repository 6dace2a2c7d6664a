import type { Estimator } from "../../ports/estimator.js";
import type { HumanText } from "./human-text.js";
import { linesOf, oneLine } from "../../../messages/plain-text.js";
import { QUOTATION_LABELS } from "../shape/labels.js";
import { sectionHeading } from "../shape/summary-sections.js";
import { endsWithin } from "../../measure/token-cuts.js";

export interface QuoteOptions {
  readonly estimator: Estimator;
  /** Up to here a message is quoted word for word; one whose estimate may be too high by its own margin, too. */
  readonly perMessageTokens?: number;
  /** All quotations together; beyond it the oldest shrink first. */
  readonly totalTokens?: number;
  /** Where the whole messages can be read. */
  readonly transcriptPath?: string | undefined;
}

/** One message as section 6 shows it. */
interface HumanQuote {
  readonly uuid: string;
  /** `[7] the text`, over as many lines as the message has. */
  readonly text: string;
  /** What of the message stands in it word for word. */
  readonly pieces: readonly string[];
}

export interface HumanQuotes {
  /** In order; where not even a line of each fits, the first, which says what it is all about, and the newest. */
  readonly quotes: readonly HumanQuote[];
  /** Says which of the oldest are only in the transcript. */
  readonly leftOut?: { readonly line: string; readonly texts: readonly HumanText[] };
}

const PER_MESSAGE_TOKENS = 2000;
export const TOTAL_MESSAGE_TOKENS = 30_000;
const SHORT_TOKENS = 200;
const LINE_CHARACTERS = 80;
/** What adding up rounded estimates may hide for each quotation. */
const ROUNDING = 1;

interface Sized extends HumanQuote {
  readonly tokens: number;
  /** Of the whole message. */
  readonly size: number;
}

/**
 * Quotes what people said: `[1] …`, `[2] …`, each word for word, or head and tail of it with a note of what is
 * left out and where it stands. Only blanks are ever added to a message's words: before a line that could be
 * taken for the title of a section or for the next quotation.
 */
export function quoteHumanTexts(texts: readonly HumanText[], options: QuoteOptions): string {
  const { quotes, leftOut } = humanQuotes(texts, options);
  return [...(leftOut === undefined ? [] : [leftOut.line]), ...quotes.map(({ text }) => text)].join("\n");
}

/** The same, quotation by quotation. */
export function humanQuotes(texts: readonly HumanText[], options: QuoteOptions): HumanQuotes {
  const { totalTokens = TOTAL_MESSAGE_TOKENS } = options;
  const quotes = texts.map((text, index) => quoteFirst(text, index + 1, options));
  let sum = quotes.reduce((total, { tokens }) => total + tokens, 0);
  const shrink = (smaller: (said: Said) => Sized): void => {
    for (const [index, text] of texts.entries()) {
      if (sum <= totalTokens) return;
      const before = quotes[index];
      if (before === undefined) continue;
      const after = smaller({ ...text, number: index + 1, size: before.size });
      if (after.tokens >= before.tokens) continue;
      sum -= before.tokens - after.tokens;
      quotes[index] = after;
    }
  };
  shrink((said) => quoteShort(said, options));
  shrink((said) => quoteLine(said, options));
  const shown = (from: number, to: number): readonly HumanQuote[] =>
    quotes.toSpliced(from, to - from).map(({ uuid, text, pieces }) => ({ uuid, text, pieces }));
  if (sum <= totalTokens) return { quotes: shown(0, 0) };
  sum += sizeOf(leftOutLine({ from: 0, to: texts.length }, options), options);
  const first = (quotes[0]?.tokens ?? 0) + sum - quotes.reduce((total, { tokens }) => total + tokens, 0);
  const from = first <= totalTokens ? 1 : 0;
  let to = from;
  for (; to < quotes.length && sum > totalTokens; to += 1) sum -= quotes[to]?.tokens ?? 0;
  const leftOut = { line: leftOutLine({ from, to }, options), texts: texts.slice(from, to) };
  return { quotes: shown(from, to), leftOut };
}

const sizeOf = (text: string, { estimator }: Pick<QuoteOptions, "estimator">): number =>
  estimator.block(`${text}\n`) + ROUNDING;

/** A message with its number and what the estimator says of all of it. */
interface Said extends HumanText {
  readonly number: number;
  readonly size: number;
}

/** Word for word where that is allowed. */
function quoteFirst(text: HumanText, number: number, options: QuoteOptions): Sized {
  const { estimator, perMessageTokens = PER_MESSAGE_TOKENS } = options;
  const words = wordsOf(text);
  const size = estimator.block(words);
  if (size > estimator.pad(perMessageTokens)) {
    const where = transcriptIn(options);
    return quoteEnds({ ...text, number, size }, { estimator, tokens: perMessageTokens, where });
  }
  const guarded = guard(words);
  const quote = `[${number}] ${guarded}`;
  return { uuid: text.uuid, text: quote, pieces: [guarded], size, tokens: sizeOf(quote, options) };
}

function quoteShort(said: Said, { estimator, perMessageTokens = PER_MESSAGE_TOKENS }: QuoteOptions): Sized {
  const tokens = Math.min(SHORT_TOKENS, perMessageTokens);
  return quoteEnds(said, { estimator, tokens, where: "the transcript" });
}

interface EndsOptions {
  readonly estimator: Estimator;
  readonly tokens: number;
  readonly where: string;
}

function quoteEnds(said: Said, { estimator, tokens, where }: EndsOptions): Sized {
  const { uuid, number, size } = said;
  const words = wordsOf(said);
  const render = (head: string, tail: string): string => {
    const gap = `${words.length - head.length - tail.length} of ${words.length} characters left out`;
    const note = `    [… ${gap}; the whole message is in ${where}, message ${oneLine(uuid, 64)} …]`;
    return `[${number}] ${guard(head)}\n${note}\n${guardAll(tail)}`.trimEnd();
  };
  const { head, tail } = endsWithin(words, { estimator, tokens, size, render });
  const text = render(head, tail);
  const pieces = [guard(head), guardAll(tail)].filter((piece) => piece.trim() !== "");
  return { uuid, text, pieces, size, tokens: sizeOf(text, { estimator }) };
}

function quoteLine({ uuid, text, number, size }: Said, options: QuoteOptions): Sized {
  const line = oneLine(text, LINE_CHARACTERS);
  const quote = `[${number}] ${line}`;
  return { uuid, text: quote, pieces: [line], size, tokens: sizeOf(quote, options) };
}

interface Range {
  readonly from: number;
  readonly to: number;
}

const leftOutLine = ({ from, to }: Range, options: QuoteOptions): string => {
  const which = to - from === 1 ? `[${to}] stands` : `[${from + 1}–${to}] stand`;
  return `${which} only in ${transcriptIn(options)}.`;
};

const transcriptIn = ({ transcriptPath }: QuoteOptions): string =>
  transcriptPath === undefined ? "the transcript" : `the transcript ${oneLine(transcriptPath, 400)}`;

const wordsOf = ({ text }: HumanText): string => text.toWellFormed().trim();

/** Words that follow something on their first line. */
function guard(words: string): string {
  const [first = "", ...rest] = linesOf(words);
  return rest.length === 0 ? first : [first, ...rest.map(guardLine)].join("\n");
}

/** Words that begin a line of their own. */
const guardAll = (words: string): string => linesOf(words).map(guardLine).join("\n");

const GUARD = "    ";

/** A line that could be taken for something else is moved in. */
const guardLine = (line: string): string => (isMistakable(line) ? GUARD + line : line);

/** The line as it was said. */
export const unguardLine = (line: string): string =>
  line.startsWith(GUARD) && isMistakable(line.slice(GUARD.length)) ? line.slice(GUARD.length) : line;

const isMistakable = (line: string): boolean =>
  sectionHeading(line) !== undefined ||
  /^\[\d+(?:–\d+)?\] /.test(line) ||
  LABELS.has(line.trim()) ||
  // What was moved in by the person: it must not be moved out again.
  (line.startsWith(GUARD) && isMistakable(line.slice(GUARD.length)));

const LABELS: ReadonlySet<string> = new Set(QUOTATION_LABELS.map((label) => label.trim()));
