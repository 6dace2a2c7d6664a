import { fold } from "./fold.js";
import type { Passage } from "./passages.js";

/** Where a message holds the terms. */
export interface Match {
  /** The fewest passages that hold them all, each with where its terms begin. */
  readonly places: readonly MatchedPassage[];
  /** How far apart they are, in characters, with an addition for those inside longer words. */
  readonly distance: number;
}

export interface MatchedPassage {
  readonly passage: Passage;
  /** Offsets in its text. */
  readonly at: readonly number[];
}

/** Of a term in one passage, so many occurrences are looked at. */
const MAX_OCCURRENCES = 200;
/** Around one of the rarest term, the others are looked for so far away. */
const NEAR = 1_000;
const INSIDE_WORD = 40;
const OTHER_PASSAGE = 10_000;

/** The closest occurrence of all terms in the passages together; undefined where one is missing. */
export function matchPassages(passages: readonly Passage[], terms: readonly string[]): Match | undefined {
  const holders = passages.flatMap((passage) => {
    const folded = fold(passage.text);
    const held = terms.filter((term) => folded.includes(term));
    return held.length === 0 ? [] : [{ passage, folded, held }];
  });
  const whole = holders.filter(({ held }) => held.length === terms.length);
  if (whole.length > 0) return whole.map((holder) => single(holder)).reduce(closer);
  const chosen: Holder[] = [];
  let missing = terms;
  while (missing.length > 0) {
    const news = holders.map((holder) => missing.filter((term) => holder.held.includes(term)));
    const best = news.reduce((top, held, index) => (held.length > (news[top]?.length ?? 0) ? index : top), 0);
    const holder = holders[best];
    const held = news[best] ?? [];
    if (holder === undefined || held.length === 0) return undefined;
    chosen.push({ ...holder, held });
    missing = missing.filter((term) => !held.includes(term));
  }
  const matches = chosen.map((holder) => single(holder));
  const distance = matches.reduce((sum, match) => sum + match.distance, OTHER_PASSAGE);
  return { places: matches.flatMap(({ places }) => places), distance };
}

interface Holder {
  readonly passage: Passage;
  readonly folded: string;
  readonly held: readonly string[];
}

const closer = (left: Match, right: Match): Match => (right.distance < left.distance ? right : left);

interface Occurrence {
  readonly at: number;
  readonly cost: number;
}

/** The held terms where they are closest to an occurrence of the rarest of them. */
function single({ passage, folded, held }: Holder): Match {
  const lists = held.map((term) => occurrences(folded, term));
  const rarest = lists.reduce((rare, list) => (list.length < rare.length ? list : rare));
  let best: { readonly at: readonly number[]; readonly distance: number } = { at: [], distance: Infinity };
  for (const from of rarest) {
    const picked = lists.map((list, index) =>
      list === rarest ? from : nearest(list, { folded, term: held[index] ?? "", from: from.at }),
    );
    const at = picked.map((occurrence) => occurrence.at);
    const distance =
      Math.max(...at) - Math.min(...at) + picked.reduce((sum, occurrence) => sum + occurrence.cost, 0);
    if (distance < best.distance) best = { at, distance };
  }
  const offsets = best.at.map((offset) => unfoldedOffset(passage.text, folded, offset));
  return { places: [{ passage, at: offsets }], distance: best.distance };
}

function occurrences(folded: string, term: string): readonly Occurrence[] {
  const list: Occurrence[] = [];
  for (
    let at = folded.indexOf(term);
    at >= 0 && list.length < MAX_OCCURRENCES;
    at = folded.indexOf(term, at + term.length)
  )
    list.push({ at, cost: isInsideWord(folded, at, term.length) ? INSIDE_WORD : 0 });
  return list;
}

interface Neighbourhood {
  readonly folded: string;
  readonly term: string;
  readonly from: number;
}

/** The occurrence nearest to a place; any of the list where none is near. */
function nearest(list: readonly Occurrence[], { folded, term, from }: Neighbourhood): Occurrence {
  const costOf = ({ at, cost }: Occurrence): number => Math.abs(at - from) + cost;
  const start = Math.max(0, from - NEAR);
  const near = occurrences(folded.slice(start, from + NEAR), term);
  const places = near.map(({ at, cost }) => ({ at: at + start, cost }));
  return (places.length === 0 ? list : places).reduce((best, occurrence) =>
    costOf(occurrence) < costOf(best) ? occurrence : best,
  );
}

const WORD = /[\p{L}\p{N}_]/u;

function isInsideWord(text: string, at: number, length: number): boolean {
  const joins = (index: number): boolean =>
    WORD.test(text.charAt(index)) && WORD.test(text.charAt(index + 1));
  return (at > 0 && joins(at - 1)) || joins(at + length - 1);
}

/** Where in the text itself a place of the folded text is. A few characters fold to two. */
function unfoldedOffset(text: string, folded: string, offset: number): number {
  if (text.length === folded.length) return offset;
  let at = 0;
  for (let reached = 0; reached < offset && at < text.length;) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    reached += fold(character).length;
    at += character.length;
  }
  return at;
}
