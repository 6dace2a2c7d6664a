import type { Message } from "../../messages/message.js";
import { isCompactBoundary } from "../../messages/predicates.js";
import { createGoneResults } from "../tools/result-keys.js";
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
      return { startTokens, responses, redone: results.redone(), cleared };
    },
    append(messages) {
      for (const message of messages) {
        results.take(message);
        if (isCompactBoundary(message)) {
          const metadata = message.compactMetadata;
          const tokens = Number(metadata?.["postTokens"]);
          startTokens = tokens > 0 ? tokens : undefined;
          startedAt = message.timestamp;
          responses = 0;
          cleared = 0;
        } else if (isClearingBoundary(message) && isLocalClearing(message)) {
          const { tokensBefore, tokensAfter } = message.microcompactMetadata;
          cleared += Math.max(0, tokensBefore - tokensAfter);
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
