import type { GapHistory } from "./gap-history.js";

/** Where a user's gap history is kept across conversations. A failure loses nothing but a better guess. */
export interface GapHistoryStore {
  load(): Promise<GapHistory | undefined>;
  save(history: GapHistory): Promise<void>;
}

/** A history that lives as long as the process. */
export function createMemoryGapHistoryStore(): GapHistoryStore {
  let known: GapHistory | undefined;
  return {
    async load() {
      return known;
    },
    async save(history) {
      known = history;
    },
  };
}
