import { findBytes, type ByteRange } from "./byte-needle.js";
import { escapedLetters } from "./escaped-letters.js";
import type { QueryTerms } from "./query-terms.js";

/** Says of pieces of a window's bytes, from its end to its start, which may hold what is looked for. */
export interface WindowFilter {
  /** The needles that are in the piece or were found before, as bits; all of them where an odd form is. */
  readonly test: (piece: LinePiece) => number;
}

interface LinePiece extends ByteRange {
  /** The needles that were found in later pieces of the same line. */
  readonly found: number;
  /** A whole line: the first needle that is not in it settles the matter. */
  readonly isWhole: boolean;
}

/** The bits of all needles. Those after the thirtieth are not looked for: parsing tells. */
export const allBits = ({ needles }: QueryTerms): number => 2 ** Math.min(needles.length, MAX_NEEDLES) - 1;

/** Pieces of one line share so many bytes: no needle, and no odd form, is longer. */
export const OVERLAP = 128;

const MAX_NEEDLES = 30;

export function windowFilter(bytes: Buffer, sought: QueryTerms): WindowFilter {
  const needles = sought.needles.slice(0, MAX_NEEDLES);
  const all = allBits(sought);
  const odd = [
    placesBefore(escapedLetters(bytes)),
    ...sought.odd.map((form) => placesBefore(placesOf(bytes, form))),
  ];
  return {
    test(piece) {
      let bits = piece.found;
      let bit = 1;
      for (const needle of needles) {
        if ((bits & bit) === 0) {
          if (findBytes(bytes, needle, piece) >= 0) bits |= bit;
          else if (piece.isWhole) break;
        }
        bit *= 2;
      }
      return bits === all || odd.some((last) => last(piece.to) >= piece.from) ? all : bits;
    },
  };
}

/** Tells the last place before an end; ends come in falling order. */
function placesBefore(places: number[]): (end: number) => number {
  return (end) => {
    while ((places.at(-1) ?? -1) >= end) places.pop();
    return places.at(-1) ?? -1;
  };
}

function placesOf(bytes: Buffer, form: Buffer): number[] {
  const places: number[] = [];
  for (let at = bytes.indexOf(form); at >= 0; at = bytes.indexOf(form, at + form.length)) places.push(at);
  return places;
}
