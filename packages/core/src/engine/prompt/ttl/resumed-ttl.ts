import { isFields } from "../../../messages/fields.js";
import type { Message } from "../../../messages/message.js";
import { sampledFigures } from "../../../messages/usage.js";
import type { Ttl } from "../markers.js";
import { recordedRequests } from "./recorded-requests.js";
import { freshTtlState, noteRequest, settledDecision, type TtlFacts, type TtlState } from "./ttl-state.js";

/**
 * The lifetimes of a conversation that goes on: what its requests showed, and the lifetime that its entries were
 * last written with, which stays what it was unless there is nothing to weigh any more: a person set another, or the
 * account may not have it.
 */
export function resumedTtlState(live: readonly Message[], facts: TtlFacts): TtlState {
  const { source, settings } = facts;
  const seen = recordedRequests(live).reduce<TtlState>(noteRequest, freshTtlState);
  const ttl = writtenTtl(live);
  if (ttl === undefined || settledDecision(facts) !== undefined) return seen;
  return {
    ...seen,
    latched: {
      source,
      patterns: [...settings.cacheTtlSources],
      isWeighed: true,
      decision: { ttl, reason: ttl === "1h" ? "pays" : "does-not-pay" },
    },
  };
}

/** The lifetime of the newest entries that a response tells of; undefined where none does. */
function writtenTtl(live: readonly Message[]): Ttl | undefined {
  for (const message of live.toReversed()) {
    const usage: unknown = message.type === "assistant" ? message.message.usage : undefined;
    const written = isFields(usage) ? sampledFigures(usage)["cache_creation"] : undefined;
    if (!isFields(written)) continue;
    if (Number(written["ephemeral_1h_input_tokens"]) > 0) return "1h";
    if (Number(written["ephemeral_5m_input_tokens"]) > 0) return "5m";
  }
  return undefined;
}
