import type { Message } from "../../messages/message.js";
import { isCompactBoundary } from "../../messages/predicates.js";
import { createGoneResults, positive } from "../tools/result-keys.js";
import { isClearingBoundary, isLocalClearing } from "../boundaries/clearing-boundary.js";
import type { Stretch } from "./early-threshold.js";

/** Keeps up with a growing list: what is new costs, not what is there. */
export interface StretchIndex {
  readonly stretch: Stretch;
  append(messages: readonly Message[]): void;
}

export function createStretchIndex(): StretchIndex {
  let startTokens: number | undefined;
  let startedAt = "";
  let responses = 0;
  let lastId: unknown;
  let cleared = 0;
  const results = createGoneResults();
  return {
    get stretch() {
      return { startTokens, responses, cleared, redone: results.redone() };
    },
    append(messages) {
      for (const message of messages) {
        results.take(message);
        if (isCompactBoundary(message)) {
          startTokens = positive(message.compactMetadata?.["postTokens"]);
          startedAt = message.timestamp;
          responses = 0;
          cleared = 0;
        } else if (isClearingBoundary(message) && isLocalClearing(message)) {
          // What the provider clears itself it tells of with every response: sums would count it again and again.
          cleared += message.microcompactMetadata.tokensBefore - message.microcompactMetadata.tokensAfter;
        } else if (message.type === "assistant") {
          // Messages come from files and may be anything.
          const id: unknown = message.message?.id;
          // What a compaction kept is older than it.
          if (id !== lastId && message.timestamp > startedAt) responses += 1;
          lastId = id;
        }
      }
    },
  };
}
