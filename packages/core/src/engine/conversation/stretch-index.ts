import type { Message } from "../../messages/message.js";
import { isCompactBoundary } from "../../messages/predicates.js";
import { createGoneResults, positive } from "../tools/result-keys.js";
import { isClearingBoundary } from "../boundaries/clearing-boundary.js";
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
      return { startTokens, responses, redone: results.redone(), cleared };
    },
    append(messages) {
      for (const message of messages) {
        results.take(message);
        if (isCompactBoundary(message)) {
          const metadata = message.compactMetadata;
          startTokens = positive(metadata?.["postTokens"]);
          startedAt = message.timestamp;
          responses = 0;
          cleared = 0;
        } else if (isClearingBoundary(message)) {
          const { tokensBefore, tokensAfter } = message.microcompactMetadata;
          cleared += tokensBefore - tokensAfter;
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
