import { isWord } from "./characters.js";
import type { ReferenceSpan } from "./reference-spans.js";

const MIN_QUOTED = 3;
const MAX_QUOTED = 80;

const QUOTES = ['"', "'", "`"] as const;

/**
 * What stands between two quotation marks of a kind on one line, without the marks. Marks are paired from the start
 * of the line; an escaped mark pairs with an escaped one; an apostrophe inside a word is none. Strings of one kind
 * never overlap, those of different kinds may. Linear in the text.
 */
export const quotedSpans = (text: string): readonly ReferenceSpan[] =>
  QUOTES.flatMap((quote) => spansOf(text, quote));

function spansOf(text: string, quote: (typeof QUOTES)[number]): readonly ReferenceSpan[] {
  const spans: ReferenceSpan[] = [];
  let lineEnd = -1;
  // Where a mark, plain or escaped, is known to have no partner before this place.
  const alone = { plain: -1, escaped: -1 };
  let open = text.indexOf(quote);
  while (open >= 0) {
    const form = isEscaped(text, open) ? "escaped" : "plain";
    const canOpen = open >= alone[form] && !(quote === "'" && isWord(text.charCodeAt(open - 1)));
    let close = -1;
    if (canOpen) {
      if (open >= lineEnd) lineEnd = endOfLine(text, open);
      close = partner(text, { quote, from: open + 1, to: lineEnd, form });
      if (close < 0) alone[form] = lineEnd;
    }
    if (close >= 0) {
      const end = form === "escaped" ? close - 1 : close;
      const length = end - open - 1;
      if (length >= MIN_QUOTED && length <= MAX_QUOTED) spans.push({ kind: "quoted", start: open + 1, end });
    }
    open = text.indexOf(quote, Math.max(open, close) + 1);
  }
  return spans;
}

interface Search {
  readonly quote: string;
  readonly from: number;
  readonly to: number;
  readonly form: "plain" | "escaped";
}

function partner(text: string, search: Search): number {
  const { quote, from, to, form } = search;
  let at = text.indexOf(quote, from);
  while (at >= 0 && at < to) {
    const isPartner =
      isEscaped(text, at) === (form === "escaped") && !(quote === "'" && isWord(text.charCodeAt(at + 1)));
    if (isPartner) return at;
    at = text.indexOf(quote, at + 1);
  }
  return -1;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
}

/** After one backslash. After two it is the backslash that is escaped. */
const isEscaped = (text: string, at: number): boolean => text[at - 1] === "\\" && text[at - 2] !== "\\";
