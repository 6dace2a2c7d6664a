import { applyRestored } from "./apply-restored.js";
import { restoreState } from "./restore-state.js";

/** What brings state back after a compaction: `gather` before the swap, which changes nothing, and `apply` at it. */
export interface RestoreStage {
  readonly gather: typeof restoreState;
  readonly apply: typeof applyRestored;
}

/** Handed to a conversation with the sources that it gathers from. */
export const restore: RestoreStage = { gather: restoreState, apply: applyRestored };
