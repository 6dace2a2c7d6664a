import type { RequestMessage } from "../../messages/content.js";
import type { Message } from "../../messages/message.js";
import { isSyntheticError } from "../../messages/predicates.js";
import type { CacheWrite } from "../prompt/cache-writes.js";
import { lastMarkable, type Ttl } from "../prompt/markers.js";

/**
 * What the requests of a resumed conversation left in the cache, oldest first: each ended right before a
 * response. Nothing where the messages do not show one response each.
 */
export function recordedWrites(
  live: readonly Message[],
  messages: readonly RequestMessage[],
  ttl: Ttl,
): readonly CacheWrite[] {
  const asked = requestTimes(live);
  const responses = messages.flatMap(({ role }, index) => (role === "assistant" ? [index] : []));
  if (asked.length !== responses.length) return [];
  return responses.flatMap((index, number) => {
    const position = lastMarkable(messages, index - 1);
    const usedAt = asked[number + 1] ?? asked[number];
    return position === undefined || usedAt === undefined ? [] : [{ position, ttl, usedAt }];
  });
}

/** When each response was asked for: when the last thing before it was written. */
function requestTimes(live: readonly Message[]): readonly number[] {
  const times = new Map<string, number>();
  let last = Number.NaN;
  for (const message of live) {
    const time = Date.parse(message.timestamp);
    if (message.type === "assistant" && !isSyntheticError(message)) {
      const { id } = message.message;
      if (!times.has(id)) times.set(id, Number.isFinite(last) ? last : time);
    } else if (message.type === "user" || message.type === "attachment") last = time;
  }
  return [...times.values()];
}
