/**
 * Who made a list of request messages, and how many at its beginning its maker will never change: two lists of
 * one maker are alike up to there, without looking at them.
 */
export interface ListOrigin {
  readonly maker: object;
  readonly settled: number;
}

const origins = new WeakMap<readonly unknown[], ListOrigin>();

/** Only for whoever made the list and hands it out for good. */
export function noteOrigin<List extends readonly unknown[]>(list: List, origin: ListOrigin): List {
  origins.set(list, origin);
  return list;
}

/** Undefined for a list that anybody may have made, or may still change. */
export const originOf = (list: readonly unknown[]): ListOrigin | undefined => origins.get(list);
