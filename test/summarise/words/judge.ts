import type { RequestMessage } from "@palimpsest/core";

/** White space of any kind and length as one blank; what cannot be sent as the sign that stands for it. */
export const flat = (text: string): string =>
  text
    .replaceAll(/\p{Surrogate}/gu, "\ufffd")
    .replaceAll(/[\s\u0085]+/g, " ")
    .trim();

/** What people are quoted with: the texts of user messages. Not what tools returned, not what the model said. */
export function shownToModel(messages: readonly RequestMessage[]): string {
  const texts: string[] = [];
  for (const { role, content } of messages) {
    if (role !== "user") continue;
    for (const block of content) if (block.type === "text") texts.push(block.text);
  }
  return flat(texts.join("\n"));
}

/**
 * As much of a long message as must be there at least, at both of its ends: an old one has 200 tokens for both and the
 * note between them, and dense words take a token for two characters.
 */
const END = 60;

export interface Limits {
  /** Characters of which no estimate makes more tokens than a message may have. */
  readonly whole: number;
  /** All messages together: of older ones nothing is asked for beyond it. */
  readonly total: number;
}

/** What of these messages, the oldest first, is missing in what the model is sent. */
export function missingIn(
  shown: string,
  messages: readonly (readonly string[])[],
  { whole, total }: Limits,
): readonly string[] {
  let left = total;
  return messages.toReversed().flatMap((texts) => {
    const words = texts.map(flat);
    const weight = words.reduce((sum, text) => sum + weightOf(text), 0);
    // Of a long one the ends are quoted, and they take more than what is asked for here.
    left -= (weight > whole ? 2 * whole : weight) + 100;
    if (left < 0) return [];
    const [first = ""] = words;
    const ends = [first.slice(0, END), words.at(-1)?.slice(-END) ?? ""];
    // A pair of surrogates that the cut has parted is nobody's word.
    const pieces = weight > whole ? ends.map((end) => end.replaceAll(/\p{Surrogate}/gu, "")) : words;
    return pieces.filter((piece) => !shown.includes(flat(piece)));
  });
}

/** Characters, those that may take a token each and more counted as often as they may cost. */
const weightOf = (words: string): number =>
  words.length +
  2 * words.replaceAll(/[a-z ]/gi, "").length +
  8 * words.replaceAll(/[\u0020-\u007e]/g, "").length;
