import type { Message } from "../../messages/message.js";

/** What a response showed of messages: how many tokens they have together. */
export interface ShownGrowth {
  readonly messages: readonly Message[];
  /** What the estimator said of them. */
  readonly estimated: number;
  readonly actual: number;
}

/** Guesses tokens without asking anybody, in the model's own tokens. */
export interface Estimator {
  readonly name: string;
  /** Tokens of one content block, as it is sent. */
  readonly block: (block: unknown) => number;
  /** Tokens of one stored message: 0 for what never reaches the model. What it says of one object never changes. */
  readonly message: (message: Message) => number;
  /** What an estimate may turn out to be, for comparing with a limit: never less than the estimate. */
  readonly pad: (tokens: number) => number;
  /** Where it learns: told of what responses and refusals have shown. */
  readonly learn?: (growth: ShownGrowth) => void;
}
