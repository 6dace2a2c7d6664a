import type { Counts } from "./soak-run.js";

/** What the process of a run is told; plain data. */
export interface SoakTask {
  /** Address of the module whose `soakRuns` holds the run. */
  readonly module: string;
  readonly name: string;
  /** Of the first pass. */
  readonly seed: number;
  /** After that no new pass begins, and the one that runs ends at its next check. Without: a full run. */
  readonly milliseconds?: number;
}

/** What it says as it goes on. */
export type SoakNews =
  | { readonly kind: "progress"; readonly passes: number; readonly seed: number; readonly counts: Counts }
  | { readonly kind: "failed"; readonly message: string; readonly stack: string }
  | { readonly kind: "done"; readonly isWhole: boolean };
