import type { Answer, Delivery } from "../player.js";
import type { PlannedBlock } from "./positioned-player.js";
import type { WantedCall } from "./tool-mapping.js";

/** What a script player plays. */
export interface Script {
  readonly steps: readonly ScriptStep[];
  /** Said whenever a conversation goes on after the last step. */
  readonly closing?: string;
}

/** One answer of the model, or how it fails. A plain string is a text. */
export type ScriptStep = string | ResponseStep | ErrorStep | PauseStep;

export interface ResponseStep {
  readonly thinking?: string;
  readonly text?: string;
  /** Made in parallel. */
  readonly calls?: readonly WantedCall[];
  /** In place of the three above, where another order is wanted. */
  readonly blocks?: readonly PlannedBlock[];
  readonly stopReason?: string;
  readonly delivery?: Delivery;
  /**
   * How often it is delivered like that before a retry gets it whole. Default: once where the delivery breaks
   * off, always where it is only slow. For an answer without any content: how often it comes, default once.
   */
  readonly times?: number;
}

export interface ErrorStep {
  readonly error: NonNullable<Answer["error"]>;
  readonly delivery?: Delivery;
  /** Default 1: the first retry gets the next step. */
  readonly times?: number;
}

/**
 * It is the human's turn. After a step without calls the turn is over anyway, and this adds nothing; after a
 * step with calls it is one more short text.
 */
export interface PauseStep {
  readonly pause: true | string;
}
