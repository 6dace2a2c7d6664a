import { byLength, needlesOf, type ByteNeedle } from "./byte-needle.js";
import { fold, ODD_FORMS, wellFormed } from "./fold.js";

/** What is looked for: a message must hold every term. */
export interface QueryTerms {
  /** Folded; at least one. */
  readonly terms: readonly string[];
  /** In every line that holds the terms, unless the line has one of the odd forms; the most telling first. */
  readonly needles: readonly ByteNeedle[];
  /** Other ways to write letters of the needles. */
  readonly odd: readonly Buffer[];
}

const MAX_TERMS = 16;
const MAX_TERM = 400;
/** A phrase in quotation marks, or what stands between white space. */
const PIECES = /"([^"]*)"|(\S+)/g;
/** Something to look for, not only punctuation. */
const TELLING = /[a-z0-9]|[^\u0000-\u007f]/i;

/** The terms of a query: words, and phrases in quotation marks. Undefined where it holds nothing to look for. */
export function queryTerms(query: string): QueryTerms | undefined {
  const pieces = [...wellFormed(query).matchAll(PIECES)].map((match) => match[1] ?? match[2] ?? "");
  const terms = pieces.map((piece) => fold(piece.slice(0, MAX_TERM)).trim()).filter((term) => term !== "");
  return TELLING.test(terms.join("")) ? exactTerms([...new Set(terms)].slice(0, MAX_TERMS)) : undefined;
}

/** Terms that are folded already. */
export function exactTerms(terms: readonly string[]): QueryTerms {
  const needles = byLength(terms.flatMap(needlesOf));
  const letters = Object.entries(ODD_FORMS).filter(([letter]) =>
    needles.some(({ text }) => text.includes(letter)),
  );
  return { terms, needles, odd: letters.map(([, form]) => Buffer.from(form, "utf8")) };
}
