import type { Random } from "../bench/random.js";

/** How often something was tried or seen, by name: `{ turns: 100, compactions: 3 }`. */
export type Counts = Readonly<Record<string, number>>;

/** What a pass gets. A pass has a process of its own, together with the other passes of its run. */
export interface SoakContext {
  /** Of this pass: that of the run for the first one, one more for each that follows. */
  readonly seed: number;
  /** Begins with the seed. All that chance decides comes from here, so that a seed brings a failure back. */
  readonly random: Random;
  /**
   * Adds to the counts, and is the sign of life: where none comes for minutes, the run has failed. To be awaited, often:
   * in between a stop is heard.
   */
  readonly step: (counts: Counts) => Promise<void>;
  /**
   * Whether the pass is to end before it is done, because time is up or somebody has stopped it. To be asked only
   * where all that was tried has just been checked, so that a whole pass with this seed meets every failure of a
   * shorter one.
   */
  readonly isOver: () => boolean;
  /** Aborted where somebody has stopped it (not where time is up). What is thrown after that is no failure. */
  readonly signal: AbortSignal;
}

/** A long run: passes of one kind, each with a seed of its own. */
export interface SoakRun {
  /** In kebab-case; what `--only` takes. */
  readonly name: string;
  /** What it proves, in one line. */
  readonly about: string;
  /** How many passes are a full run. Given minutes, there are as many as there is time for. */
  readonly passes: number;
  /** Tries many cases. Throws where an invariant does not hold: the message says which, and what was seen. */
  readonly pass: (context: SoakContext) => Promise<void>;
}
