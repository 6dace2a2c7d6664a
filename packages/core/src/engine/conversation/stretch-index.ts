import type { Message } from "../../messages/message.js";
import { isCompactBoundary } from "../../messages/predicates.js";
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
  return {
    get stretch() {
      return { startTokens, responses };
    },
    append(messages) {
      for (const message of messages) {
        if (isCompactBoundary(message)) {
          const tokens: unknown = message.compactMetadata?.["postTokens"];
          startTokens = typeof tokens === "number" && tokens > 0 ? tokens : undefined;
          startedAt = message.timestamp;
          responses = 0;
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
