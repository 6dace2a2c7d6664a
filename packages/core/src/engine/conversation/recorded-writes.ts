import type { RequestMessage } from "../../messages/content.js";
import type { Message } from "../../messages/message.js";
import { isCompactBoundary, isSyntheticError } from "../../messages/predicates.js";
import { removesContent } from "../boundaries/clearing-boundary.js";
import type { CacheWrite } from "../prompt/cache-writes.js";
import { lastMarkable, type Ttl } from "../prompt/markers.js";

/**
 * What the requests of a resumed conversation left in the cache, oldest first: each ended right before a
 * response, and what was cleared since is there no longer. Nothing where the messages do not show one response each.
 */
export function recordedWrites(
  live: readonly Message[],
  messages: readonly RequestMessage[],
  ttl: Ttl,
): readonly CacheWrite[] {
  const asked = requestsIn(live, messages);
  const responses = messages.flatMap(({ role }, index) => (role === "assistant" ? [index] : []));
  if (asked.length !== responses.length) return [];
  return asked.flatMap(({ at, below }, number) => {
    const position = lastMarkable(messages, (responses[number] ?? 0) - 1);
    if (position === undefined || position.message >= below) return [];
    return [{ position, ttl, usedAt: asked[number + 1]?.at ?? at }];
  });
}

interface Asked {
  /** When the last thing before it was written. */
  readonly at: number;
  /** What it wrote from this message on was cleared since. */
  below: number;
}

/** The requests that were answered. */
function requestsIn(live: readonly Message[], messages: readonly RequestMessage[]): readonly Asked[] {
  const asked = new Map<string, Asked>();
  let last: number | undefined;
  /** What a compaction has kept stands after its boundary, and is older: its requests are no beginning of this list. */
  let compactedAt = 0;
  for (const message of live) {
    const time = Date.parse(message.timestamp);
    if (message.type === "assistant" && !isSyntheticError(message)) {
      const { id } = message.message;
      if (!asked.has(id)) asked.set(id, { at: last ?? time, below: time < compactedAt ? 0 : Infinity });
    } else if (message.type === "user" || message.type === "attachment") last = time;
    else if (isCompactBoundary(message)) compactedAt = time;
    else if (removesContent(message)) {
      const cleared = new Set(message.microcompactMetadata.toolUseIds);
      const first = messages.findIndex(({ content }) =>
        content.some((block) => block.type === "tool_result" && cleared.has(block.tool_use_id)),
      );
      for (const request of asked.values()) request.below = Math.min(request.below, first);
    }
  }
  return [...asked.values()];
}
