import { tokenClass } from "./characters.js";
import { Fingerprint, FingerprintSet } from "./fingerprint-set.js";
import { quotedSpans } from "./quoted-spans.js";
import { MAX_IDENTIFIER, nameSpans, type ReferenceSpan } from "./reference-spans.js";
import { quotedWords } from "./references.js";

/** What occurred in a conversation, remembered as fingerprints: no text is kept. */
export interface Occurrences {
  readonly remember: (text: string) => void;
  /**
   * Whether a text stood in what was remembered as a whole: no word character touches it where it begins or ends
   * with one. What it says occurred did occur. It does not know all that did (docs/recall.md).
   */
  readonly has: (text: string) => boolean;
  readonly size: number;
}

/** Any so many words in a row are remembered, wherever they stood. */
const WORDS_IN_A_ROW = 3;
/** Beyond it a path's later folders are remembered by the shorter runs of words only. */
const MAX_PATH_WORDS = 32;
/** About 130 MB. */
const MAX_FINGERPRINTS = 2 ** 23;
/** From here on only single words, and what looks like a reference, are taken in: the rest of the room is theirs. */
const MAX_WITH_ROWS = 2 ** 22;

const NEWLINE = 10;

export function createOccurrences(): Occurrences {
  const seen = new FingerprintSet(MAX_FINGERPRINTS);
  const fingerprint = new Fingerprint();

  /** All that begins here and ends with a word, up to so many words and to a place. */
  function rememberFrom(text: string, reach: { start: number; end: number; words: number }): void {
    fingerprint.clear();
    let words = 0;
    let code = text.charCodeAt(reach.start);
    let token = tokenClass(code);
    for (let at = reach.start; at < reach.end && code !== NEWLINE; at += 1) {
      fingerprint.extend(code);
      code = text.charCodeAt(at + 1);
      const next = tokenClass(code);
      if (token !== 0 && next !== token) {
        seen.add(fingerprint);
        words += 1;
        if (words === reach.words) return;
      }
      token = next;
    }
  }

  function rememberPath(text: string, span: ReferenceSpan): void {
    for (let start = span.start; start < span.end; start += 1) {
      const isFirst = start === span.start || isSlash(text[start]) || isSlash(text[start - 1]);
      if (isFirst) rememberFrom(text, { start, end: span.end, words: MAX_PATH_WORDS });
    }
  }

  function rememberWhole(text: string): void {
    fingerprint.clear();
    for (let at = 0; at < text.length; at += 1) fingerprint.extend(text.charCodeAt(at));
    seen.add(fingerprint);
  }

  return {
    remember: (text) => {
      const words = seen.size < MAX_WITH_ROWS ? WORDS_IN_A_ROW : 1;
      let before = 0;
      for (let start = 0; start < text.length; start += 1) {
        const token = tokenClass(text.charCodeAt(start));
        if (token !== 0 && token !== before) {
          const end = Math.min(text.length, start + MAX_IDENTIFIER);
          rememberFrom(text, { start, end, words });
        }
        before = token;
      }
      for (const span of nameSpans(text)) {
        if (span.kind === "path") rememberPath(text, span);
        else rememberFrom(text, { ...span, words: Infinity });
      }
      for (const { start, end } of quotedSpans(text)) {
        const words = quotedWords(text.slice(start, end));
        if (words !== undefined) rememberWhole(words);
      }
    },

    has: (text) => {
      fingerprint.clear();
      for (let at = 0; at < text.length; at += 1) fingerprint.extend(text.charCodeAt(at));
      return seen.has(fingerprint);
    },

    get size() {
      return seen.size;
    },
  };
}

const isSlash = (character: string | undefined): boolean => character === "/" || character === "\\";
