import { formsOf } from "./fold.js";

/** A piece of a folded text, looked for in UTF-8 bytes without regard to case. */
export interface ByteNeedle {
  /** Folded. */
  readonly text: string;
  readonly lower: Uint8Array;
  readonly upper: Uint8Array;
  /** How far a byte under the needle's end lets it move on; 0 where it may be the end. */
  readonly skip: Uint8Array;
  /** How far it moves on where its end fitted and the rest did not. */
  readonly step: number;
}

/** Longer ones select no better. */
const MAX_CHARACTERS = 24;

/** The pieces of a folded text that stand in a line as they are, longest first. Every line with the text has them all. */
export function needlesOf(folded: string): readonly ByteNeedle[] {
  const runs: string[] = [];
  let run = "";
  for (const character of folded) {
    if (formsOf(character) === undefined) {
      if (run !== "") runs.push(run);
      run = "";
    } else run += character;
  }
  if (run !== "") runs.push(run);
  return byLength(runs.map((text) => needle(Array.from(text).slice(0, MAX_CHARACTERS))));
}

export const byLength = (needles: readonly ByteNeedle[]): readonly ByteNeedle[] =>
  needles.toSorted((left, right) => right.lower.length - left.lower.length);

function needle(characters: readonly string[]): ByteNeedle {
  const forms = characters.map((character) => formsOf(character) ?? [character, character]);
  const lower = Buffer.from(forms.map(([form]) => form).join(""), "utf8");
  const upper = Buffer.from(forms.map(([, form]) => form).join(""), "utf8");
  const end = lower.length - 1;
  const skip = new Uint8Array(256).fill(lower.length);
  let step = lower.length;
  for (let at = 0; at <= end; at += 1) {
    for (const byte of [lower[at] ?? 0, upper[at] ?? 0]) {
      skip[byte] = end - at;
      if (at < end && (byte === lower[end] || byte === upper[end])) step = end - at;
    }
  }
  return { text: characters.join(""), lower, upper, skip, step };
}

/** Where the needle begins between `from` and `to`; -1 where it does not occur. May find what only looks like it. */
export function findBytes(bytes: Uint8Array, needle: ByteNeedle, range: ByteRange): number {
  const { lower, upper, skip, step } = needle;
  const { from, to } = range;
  const end = lower.length - 1;
  let at = from + end;
  while (at < to) {
    const move = skip[bytes[at] as number] as number;
    if (move !== 0) {
      at += move;
      continue;
    }
    let back = 1;
    while (back <= end) {
      const byte = bytes[at - back];
      if (byte !== lower[end - back] && byte !== upper[end - back]) break;
      back += 1;
    }
    if (back > end) return at - end;
    at += step;
  }
  return -1;
}

export interface ByteRange {
  readonly from: number;
  readonly to: number;
}
