import type { Message } from "../../messages/message.js";

/** Guesses tokens without asking anybody. What it says of one message object never changes. */
export interface Estimator {
  readonly name: string;
  /** Tokens of one content block, as it is sent. */
  readonly block: (block: unknown) => number;
  /** Tokens of one stored message: 0 for what never reaches the model. */
  readonly message: (message: Message) => number;
  /** What an estimate may turn out to be, for comparing with a limit: never less than the estimate. */
  readonly pad: (tokens: number) => number;
}
