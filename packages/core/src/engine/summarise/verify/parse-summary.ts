/** What an answer to the summary prompt holds. */
export type ParsedSummary =
  | {
      readonly kind: "summary";
      readonly text: string;
      /** It stood in its element; otherwise it is all that the answer says. */
      readonly isTagged: boolean;
    }
  /** Nothing but blank space, or a scratchpad without a summary after it. */
  | { readonly kind: "empty" }
  /** A tag was opened and never closed: the end is missing. */
  | { readonly kind: "unclosed" };

/**
 * The text of the `<summary>`, the scratchpad left out and blank lines collapsed. An answer without any tags is
 * the summary itself.
 */
export function parseSummary(answer: string): ParsedSummary {
  const analysis = elementIn(answer, "analysis");
  if (analysis === "unclosed") return { kind: "unclosed" };
  const rest = analysis === undefined ? answer : answer.slice(0, analysis.start) + answer.slice(analysis.end);
  const summary = elementIn(rest, "summary");
  if (summary === "unclosed") return { kind: "unclosed" };
  const text = collapse(summary === undefined ? rest : summary.content);
  return text === "" ? { kind: "empty" } : { kind: "summary", text, isTagged: summary !== undefined };
}

interface Element {
  readonly start: number;
  readonly end: number;
  readonly content: string;
}

const QUOTE = "[`\"'“”‘’«»]";
/** With words before it on its line, but not in quotation marks, and not closed on the same line: that is HTML. */
const LATE_OPENING = new RegExp(`(?:(?<!${QUOTE})<summary>|<summary>(?!${QUOTE}))(?![^\\n]*</summary>)`);
/** With nothing said after it on its line, and not in quotation marks. */
const CLOSING = new RegExp(
  `(?:(?<!${QUOTE})</summary>|</summary>(?!${QUOTE}))(?=[^\\p{L}\\p{N}\\n]*(?:\\n|$))`,
  "gu",
);

const closingOfSummary = (text: string): number => [...text.matchAll(CLOSING)].at(-1)?.index ?? -1;

/**
 * The first element of this name, up to its last closing tag: what it quotes may hold tags of its own. It begins
 * its line; a summary may also follow words, where no other begins a line.
 */
function elementIn(text: string, name: "analysis" | "summary"): Element | "unclosed" | undefined {
  const opening =
    new RegExp(`(^|\\n)[ \\t]*<${name}>`).exec(text) ?? (name === "summary" ? LATE_OPENING.exec(text) : null);
  if (opening === null) return undefined;
  const contentStart = opening.index + opening[0].length;
  const close = `</${name}>`;
  const closing = name === "analysis" ? closingOfAnalysis(text, contentStart) : closingOfSummary(text);
  if (closing < contentStart) return "unclosed";
  return { start: opening.index, end: closing + close.length, content: text.slice(contentStart, closing) };
}

/** The scratchpad ends before the summary begins; it may talk about both tags. */
function closingOfAnalysis(text: string, from: number): number {
  const summary = /\n[ \t]*<summary>/.exec(text.slice(from));
  const before = summary === null ? text.length : from + summary.index;
  const last = text.lastIndexOf("</analysis>", before);
  return last >= from ? last : -1;
}

const collapse = (text: string): string => text.replaceAll(/\n(?:[ \t]*\n){2,}/g, "\n\n").trim();
