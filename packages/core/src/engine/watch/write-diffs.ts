import type { CacheBreak } from "../events/cache-break.js";
import type { BreakDiffStore } from "../ports/break-diff-store.js";
import { renderDiff, type ComparedRequests } from "./render-diff.js";

/** Is told of every break, and of the two requests that it lies between. A rejection loses nothing but its text. */
export type BreakDiffs = (id: string, found: CacheBreak, requests: ComparedRequests) => Promise<void>;

/** Writes what changed, for a person to read, and hands it to a store of such texts. */
export const writeDiffs =
  (store: BreakDiffStore): BreakDiffs =>
  async (id, found, requests) =>
    store.save({ id, at: found.at, text: renderDiff(found, requests) });
