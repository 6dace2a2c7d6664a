import type { Message } from "../../messages/message.js";
import { isCompactBoundary } from "../../messages/predicates.js";
import { createResultKeys } from "../tools/result-keys.js";
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
  let redone = 0;
  /** Results that compactions took from the context. */
  let gone = new Set<unknown>();
  const keys = createResultKeys();
  return {
    get stretch() {
      return { startTokens, responses, redone };
    },
    append(messages) {
      for (const message of messages) {
        if (isCompactBoundary(message)) {
          const { postTokens, goneResults, redoneBefore }: Readonly<Record<string, unknown>> =
            message.compactMetadata ?? {};
          startTokens = typeof postTokens === "number" && postTokens > 0 ? postTokens : undefined;
          startedAt = message.timestamp;
          responses = 0;
          gone = new Set(Array.isArray(goneResults) ? goneResults : []);
          redone = typeof redoneBefore === "number" && redoneBefore > 0 ? redoneBefore : 0;
          continue;
        }
        for (const key of keys.of(message)) if (gone.delete(key)) redone += 1;
        if (message.type !== "assistant") continue;
        // Messages come from files and may be anything.
        const id: unknown = message.message?.id;
        // What a compaction kept is older than it.
        if (id !== lastId && message.timestamp > startedAt) responses += 1;
        lastId = id;
      }
    },
  };
}
