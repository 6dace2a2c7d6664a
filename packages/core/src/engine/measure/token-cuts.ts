import type { Estimator } from "../ports/estimator.js";
import { firstCharacters, lastCharacters } from "../../messages/plain-text.js";

const HEAD_SHARE = 0.6;
const TRIES = 16;
/** A cut that did not fit becomes at least so much shorter. */
const LEAST_STEP = 0.98;
/** No estimator that is in use makes less of so many characters. */
const CHARACTERS_PER_TOKEN = 32;

export interface TokenLimit {
  readonly estimator: Estimator;
  readonly tokens: number;
}

/** The start of a text that fits; `…` stands for what does not. */
export function headWithin(text: string, { estimator, tokens }: TokenLimit): string {
  const readable = firstCharacters(text, Math.max(0, tokens) * CHARACTERS_PER_TOKEN);
  const size = estimator.block(readable);
  if (size <= tokens && readable.length === text.length) return text;
  let keep = Math.floor(readable.length * Math.min(1, tokens / Math.max(1, size)));
  for (let tried = 0; tried < TRIES && keep > 0; tried += 1) {
    const head = `${firstCharacters(readable, keep).trimEnd()}…`;
    const used = estimator.block(head);
    if (used <= tokens) return head;
    keep = Math.floor(keep * Math.min(LEAST_STEP, tokens / used));
  }
  return "";
}

export interface EndsLimit extends TokenLimit {
  /** What `estimator` says of the whole text. */
  readonly size: number;
  /** The two ends as they will be shown, with what stands between them. */
  readonly render: (head: string, tail: string) => string;
}

/** Head and tail of a text that is too long, so that what is rendered of them fits. */
export function endsWithin(
  text: string,
  { estimator, tokens, size, render }: EndsLimit,
): { readonly head: string; readonly tail: string } {
  const frame = estimator.block(render("", ""));
  const room = tokens - frame;
  let keep = Math.floor(text.length * Math.min(1, room / Math.max(1, size)));
  for (let tried = 0; tried < TRIES && keep > 0; tried += 1) {
    const head = firstCharacters(text, Math.ceil(keep * HEAD_SHARE));
    const tailLength = Math.min(text.length - head.length, Math.floor(keep * (1 - HEAD_SHARE)));
    const tail = lastCharacters(text, tailLength);
    const used = estimator.block(render(head, tail));
    if (used <= tokens) return { head, tail };
    keep = Math.floor(keep * Math.min(LEAST_STEP, room / Math.max(1, used - frame)));
  }
  return { head: "", tail: "" };
}
