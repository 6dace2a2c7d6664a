import type { Conversation, Message, Stage } from "@palimpsest/core";
import { isClearingBoundary } from "@palimpsest/core/engine";
import { isFields } from "../base/fields.js";

export interface ClearedResults {
  /** Of the calls whose results are gone from the context. */
  readonly toolUseIds: readonly string[];
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** What was written into the transcript. */
  readonly added: readonly Message[];
}

export interface ClearOnDemand {
  readonly stages: readonly Stage[];
  /** Clears results of tools now, but for the newest, and sends nothing. */
  readonly clear: (conversation: Conversation) => Promise<ClearedResults>;
}

class OnlyClearing extends Error {}

/**
 * Clearing that a person asks for. The engine clears while it prepares a request, so one is begun, and given up as soon as
 * results were cleared.
 */
export function createClearOnDemand({ keep }: { readonly keep: number }): ClearOnDemand {
  let isWanted = false;
  return {
    stages: [
      {
        name: "clear-on-demand",
        perform: ({ live }) => (isWanted ? { clear: oldResults(live, keep) } : undefined),
      },
      {
        name: "clear-on-demand: nothing else",
        perform() {
          if (isWanted) throw new OnlyClearing();
          return undefined;
        },
      },
    ],
    async clear(conversation) {
      const tokensBefore = conversation.size().tokens;
      const known = new Set(conversation.live);
      isWanted = true;
      try {
        await conversation.prepare();
      } catch (error) {
        if (!(error instanceof OnlyClearing)) throw error;
      } finally {
        isWanted = false;
      }
      const added = conversation.live.filter((message) => isClearingBoundary(message) && !known.has(message));
      return {
        toolUseIds: added.flatMap((message) =>
          isClearingBoundary(message) ? message.microcompactMetadata.toolUseIds : [],
        ),
        tokensBefore,
        tokensAfter: conversation.size().tokens,
        added,
      };
    },
  };
}

/** Of results that the model has answered: all but the newest. What stands in them, and what must stay, is the engine's to say. */
function oldResults(live: readonly Message[], keep: number): readonly string[] {
  const answered = live.slice(
    0,
    live.findLastIndex(({ type }) => type === "assistant"),
  );
  const ids = answered.flatMap((message) => {
    const content: unknown = message.type === "user" ? message.message?.content : undefined;
    return (Array.isArray(content) ? content : []).flatMap((block: unknown) =>
      isFields(block) && block["type"] === "tool_result" && typeof block["tool_use_id"] === "string"
        ? [block["tool_use_id"]]
        : [],
    );
  });
  return ids.slice(0, Math.max(0, ids.length - keep));
}
