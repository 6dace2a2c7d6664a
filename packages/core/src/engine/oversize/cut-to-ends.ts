import type { Estimator } from "../ports/estimator.js";
import { endsWithin } from "../measure/token-cuts.js";

export interface CutEnds {
  /** Characters that are left of the beginning and of the end. */
  readonly head: number;
  readonly tail: number;
  /** What stands between them. */
  readonly note: string;
}

export interface CutOptions {
  readonly estimator: Estimator;
  /** What the estimator says of the whole text. */
  readonly size: number;
  /** What may be left of it, the note included. */
  readonly tokens: number;
  /** What stands between the ends, where so many characters are left out. */
  readonly note: (leftOut: number) => string;
}

/** A cut moves by no more than this share of an end so that a line stays whole. */
const LINE_SHARE = 0.1;

/**
 * The two ends of a text that fit with a note between them, in whole lines where lines are short. Undefined where that
 * would not be shorter than the text.
 */
export function cutToEnds(text: string, options: CutOptions): CutEnds | undefined {
  const { estimator, size, tokens, note } = options;
  const between = note(text.length);
  const render = (head: string, tail: string): string => head + between + tail;
  const ends = endsWithin(text, { estimator, tokens, size, render });
  const head = wholeLinesAtStart(ends.head);
  const tail = wholeLinesAtEnd(ends.tail);
  const cut = { head, tail, note: note(text.length - head - tail) };
  return head + cut.note.length + tail < text.length ? cut : undefined;
}

function wholeLinesAtStart(head: string): number {
  const end = head.lastIndexOf("\n");
  return end >= head.length * (1 - LINE_SHARE) ? end : head.length;
}

function wholeLinesAtEnd(tail: string): number {
  const start = tail.indexOf("\n") + 1;
  return start <= tail.length * LINE_SHARE ? tail.length - start : tail.length;
}
