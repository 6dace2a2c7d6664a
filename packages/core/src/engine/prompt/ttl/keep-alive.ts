import type { Prices } from "../../../models/model.js";
import { ttlMilliseconds } from "../cache-writes.js";
import type { Settings } from "../../settings/settings.js";
import type { Ttl } from "../markers.js";
import { writePrice } from "./expected-cost.js";
import { gapsLongerThan, type GapEvidence } from "./gap-evidence.js";

export type KeepAliveSettings = Pick<
  Settings,
  "cacheKeepAlive" | "cacheKeepAlivePings" | "cacheKeepAliveMargin5m" | "cacheKeepAliveMargin1h"
>;

export interface KeepAliveFacts {
  readonly settings: KeepAliveSettings;
  readonly ttl: Ttl;
  readonly now: number;
  /** The start of the last request that read or wrote the prefix for its own sake. */
  readonly lastRequestAt: number;
  /** The start of the last keep-alive since then. */
  readonly lastPingAt?: number;
  /** Keep-alives since the last request. */
  readonly pingsSoFar: number;
  /** Tokens that the last request left in the cache. */
  readonly cachedTokens: number;
  readonly prices: Prices;
  /** What is to be expected of the gaps between requests. */
  readonly gaps: GapEvidence;
}

/** What a keep-alive is expected to do, in dollars, with those that would follow it. */
export interface KeepAlivePlan {
  readonly pings: number;
  readonly cost: number;
  /** Rewrites that it spares, by how likely they are. Always more than the cost. */
  readonly saving: number;
}

export type KeepAliveDecision =
  | { readonly kind: "wait"; readonly until: number }
  | { readonly kind: "ping"; readonly plan: KeepAlivePlan }
  | {
      readonly kind: "stop";
      readonly reason:
        | "off"
        | "nothing-cached"
        /** The entry's time is over: there is nothing left to keep. */
        | "expired"
        /** As many keep-alives as the settings allow have gone out. */
        | "cap-reached"
        /** The next request is not likely enough to come in the time that keep-alives would win. */
        | "does-not-pay";
    };

const MILLION = 1_000_000;
/** A keep-alive answers with one token at most. */
const PING_OUTPUT_TOKENS = 1;

const stop = (reason: Extract<KeepAliveDecision, { kind: "stop" }>["reason"]): KeepAliveDecision => ({
  kind: "stop",
  reason,
});

/** What to do now about the entry of a conversation that is pausing. Ask again at `until`, and after a ping. */
export function decideKeepAlive(facts: KeepAliveFacts): KeepAliveDecision {
  const { settings, ttl, now, lastRequestAt, lastPingAt = lastRequestAt, pingsSoFar, cachedTokens } = facts;
  if (!settings.cacheKeepAlive) return stop("off");
  if (!(cachedTokens > 0)) return stop("nothing-cached");
  const expiresAt = Math.max(lastRequestAt, lastPingAt) + ttlMilliseconds[ttl];
  if (!(now < expiresAt)) return stop("expired");
  if (!(pingsSoFar < settings.cacheKeepAlivePings)) return stop("cap-reached");
  const dueAt = expiresAt - marginOf(settings, ttl);
  if (now < dueAt) return { kind: "wait", until: dueAt };
  const plan = bestPlan(facts, expiresAt);
  return plan === undefined ? stop("does-not-pay") : { kind: "ping", plan };
}

/** At least a second, so that a request has time to begin, and at most half of the time there is. */
const marginOf = (settings: KeepAliveSettings, ttl: Ttl): number => {
  const margin = ttl === "1h" ? settings.cacheKeepAliveMargin1h : settings.cacheKeepAliveMargin5m;
  return Math.min(ttlMilliseconds[ttl] / 2, Math.max(1000, margin));
};

/** The number of keep-alives that is expected to save most; undefined where none saves anything. */
function bestPlan(facts: KeepAliveFacts, expiresAt: number): KeepAlivePlan | undefined {
  const { settings, ttl, now, lastRequestAt, pingsSoFar, cachedTokens, prices, gaps } = facts;
  const lifetime = ttlMilliseconds[ttl];
  const step = lifetime - marginOf(settings, ttl);
  const idle = now - lastRequestAt;
  const pausing = gapsLongerThan(gaps, idle);
  if (!(pausing > 0)) return undefined;
  const shareBeyond = (gap: number): number => gapsLongerThan(gaps, gap) / pausing;
  const pingCost = (cachedTokens * prices.cacheRead + PING_OUTPUT_TOKENS * prices.output) / MILLION;
  const rewrite = (cachedTokens * Math.max(0, writePrice(prices, ttl) - prices.cacheRead)) / MILLION;
  const lostWithout = shareBeyond(expiresAt - lastRequestAt);
  let best: KeepAlivePlan | undefined;
  let cost = 0;
  for (let pings = 1; pings <= settings.cacheKeepAlivePings - pingsSoFar; pings += 1) {
    const pingAt = idle + (pings - 1) * step;
    const isStillPausing = shareBeyond(pingAt);
    cost += isStillPausing * pingCost;
    const saving = (lostWithout - shareBeyond(pingAt + lifetime)) * rewrite;
    if (saving - cost > (best === undefined ? 0 : best.saving - best.cost)) best = { pings, cost, saving };
    // What is still to be won can no longer make up for what the next one costs.
    if (lostWithout * rewrite <= cost) break;
  }
  return best;
}
