import type { Message } from "../../../messages/message.js";
import type { Estimator } from "../../ports/estimator.js";
import type { CompactionTrigger } from "../../events/compaction-terms.js";

/** How large the context is, and from when on it must be compacted. */
export interface SizeFacts {
  readonly tokensBefore: number;
  /** System prompt and tools: no compaction makes them smaller. */
  readonly overhead: number;
  readonly autoCompactAt: number;
  /** The window of the model: what would probably be refused is not sent. */
  readonly contextWindow?: number;
  /** From here on requests must fail. Where it is told, what nobody has answered yet stays whole if it fits below it. */
  readonly hardAt?: number;
  /** `tokensBefore` with its estimated part padded, for comparing with the window. */
  readonly paddedBefore?: number;
}

/**
 * The tokens that the new context may hold besides system prompt and tools: with them it has to be below the
 * threshold and at least `leastSaving` smaller than before. A conversation that a person compacts by hand before
 * it is due only has to become smaller.
 */
export function sizeLimit(
  { tokensBefore, overhead, autoCompactAt }: SizeFacts,
  { trigger, leastSaving }: { readonly trigger: CompactionTrigger; readonly leastSaving: number },
): number {
  const isEarly = trigger === "manual" && tokensBefore < autoCompactAt;
  const smaller = isEarly ? tokensBefore - 1 : Math.floor(tokensBefore * (1 - leastSaving));
  return Math.min(smaller, autoCompactAt - 1) - overhead;
}

export const estimatedTokens = (messages: readonly Message[], estimator: Estimator): number =>
  messages.reduce((sum, message) => sum + estimator.message(message), 0);
