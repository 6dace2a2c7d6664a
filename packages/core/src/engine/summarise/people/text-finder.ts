import { collapseSpace } from "../../../messages/plain-text.js";

/** Shorter ones count only where they stand as words of their own: `yes` is not in `yesterday`. */
const SHORT = 40;
const WORD = /[\p{L}\p{N}_]/u;

/** Tells whether words stand in a text, however its blanks and lines are set. Fastest where they come in order. */
export function createTextFinder(text: string): (words: string) => boolean {
  const whole = collapseSpace(text);
  const known = new Map<string, boolean>();
  let cursor = 0;
  const find = (wanted: string): boolean => {
    const isFree = wanted.length > SHORT ? () => true : (at: number) => standsAlone(whole, at, wanted.length);
    for (const from of cursor === 0 ? [0] : [cursor, 0]) {
      for (let at = whole.indexOf(wanted, from); at !== -1; at = whole.indexOf(wanted, at + 1)) {
        if (!isFree(at)) continue;
        cursor = at;
        return true;
      }
    }
    return false;
  };
  return (words) => {
    const wanted = collapseSpace(words);
    const found = known.get(wanted) ?? (wanted === "" || find(wanted));
    known.set(wanted, found);
    return found;
  };
}

function standsAlone(text: string, at: number, length: number): boolean {
  const end = at + length;
  return !(joins(text, at - 1, at) || joins(text, end - 1, end));
}

const joins = (text: string, left: number, right: number): boolean =>
  WORD.test(text[left] ?? "") && WORD.test(text[right] ?? "");
