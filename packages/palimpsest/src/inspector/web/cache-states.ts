import type { BlockRow } from "../contract.js";

/** What the cache did with a block: a sign, a word and a colour each, so that none has to be seen. */
export const CACHE_STATES: Readonly<
  Record<BlockRow["cache"], { readonly sign: string; readonly name: string }>
> = {
  read: { sign: "●", name: "read" },
  written: { sign: "▲", name: "written" },
  uncached: { sign: "○", name: "not cached" },
  missed: { sign: "✕", name: "missed" },
  unknown: { sign: "?", name: "unknown" },
};
