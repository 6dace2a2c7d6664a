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
  /** What may still be spent on keep-alives and on a summary together. Default: anything. */
  readonly dollarsLeft?: number;
  /** A compaction that could be prepared now, to be used if the entry has ended by then. Left out where there is none. */
  readonly summary?: ColdSummary;
}

/** A compaction whose summary is written on the warm cache and which is used on the cold one. */
export interface ColdSummary {
  /** What the call for the summary costs. */
  readonly dollars: number;
  /** What the context would have then, system prompt and tools included. */
  readonly tokensAfter: number;
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
  /** What comes after the end of the entry is cheaper with a summary that is written now; asking for it reads the entry once more. */
  | { readonly kind: "prepare"; readonly plan: Omit<KeepAlivePlan, "pings"> }
  | {
      readonly kind: "stop";
      readonly reason:
        | "off"
        | "nothing-cached"
        /** The entry's time is over: there is nothing left to keep. */
        | "expired"
        /** As many keep-alives as the settings allow have gone out, or the dollars are spent. */
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

/**
 * What to do now about the entry of a conversation that is pausing. Ask again at `until`, and after a ping. Where a summary
 * could be prepared it is the other way out: a keep-alive then has to cost less than the summary and what it leaves to be
 * written, and as long as it does the summary waits, with its dollars put by.
 */
export function decideKeepAlive(facts: KeepAliveFacts): KeepAliveDecision {
  const { settings, ttl, now, lastRequestAt, lastPingAt = lastRequestAt, pingsSoFar, cachedTokens } = facts;
  if (!settings.cacheKeepAlive) return stop("off");
  if (!(cachedTokens > 0)) return stop("nothing-cached");
  const expiresAt = Math.max(lastRequestAt, lastPingAt) + ttlMilliseconds[ttl];
  if (!(now < expiresAt)) return stop("expired");
  const { dollarsLeft = Infinity } = facts;
  const losses = lossesOf(facts);
  const summary = losses.saved > 0 && losses.summary <= dollarsLeft ? losses : undefined;
  const affordable = Math.floor((dollarsLeft - (summary?.summary ?? 0)) / pingCostOf(facts));
  const mostPings = Math.min(settings.cacheKeepAlivePings - pingsSoFar, affordable);
  if (!(mostPings > 0) && summary === undefined) return stop("cap-reached");
  const dueAt = expiresAt - marginOf(settings, ttl);
  if (now < dueAt) return { kind: "wait", until: dueAt };
  const preparing = summary && summaryPlan(facts, summary, expiresAt);
  const loss = preparing === undefined ? losses.whole : losses.summary + losses.compacted;
  const plan = bestPlan(facts, { expiresAt, loss, mostPings });
  if (plan !== undefined) return { kind: "ping", plan };
  if (preparing !== undefined) return { kind: "prepare", plan: preparing };
  return stop(mostPings > 0 ? "does-not-pay" : "cap-reached");
}

/** What a request after the end of the entry costs more than one before it, in dollars. */
interface Losses {
  /** With the context as it is. */
  readonly whole: number;
  /** With the context compacted. */
  readonly compacted: number;
  /** What the summary for that costs. */
  readonly summary: number;
  /** What is won by a summary if the entry has ended for certain. Not above 0 where there is none. */
  readonly saved: number;
}

function lossesOf({ ttl, cachedTokens, prices, summary }: KeepAliveFacts): Losses {
  const write = writePrice(prices, ttl);
  const whole = (cachedTokens * Math.max(0, write - prices.cacheRead)) / MILLION;
  if (summary === undefined) return { whole, compacted: whole, summary: 0, saved: 0 };
  const { tokensAfter, dollars } = summary;
  const compacted = Math.max(0, (tokensAfter * write - cachedTokens * prices.cacheRead) / MILLION);
  return { whole, compacted, summary: dollars, saved: whole - compacted - dollars };
}

/** Undefined where the pause is not likely enough to outlast the entry, which begins anew with the call. */
function summaryPlan(
  facts: KeepAliveFacts,
  { whole, compacted, summary: cost }: Losses,
  expiresAt: number,
): Omit<KeepAlivePlan, "pings"> | undefined {
  const { now, lastRequestAt, ttl } = facts;
  const shareBeyond = sharesBeyond(facts);
  if (shareBeyond === undefined) return undefined;
  const lostAfter = shareBeyond(now - lastRequestAt + ttlMilliseconds[ttl]);
  const saving = shareBeyond(expiresAt - lastRequestAt) * whole - lostAfter * compacted;
  // Without a pause that lasts it would be a keep-alive, and a dear one.
  return lostAfter * (whole - compacted) > cost ? { cost, saving } : undefined;
}

/** How likely a pause that has lasted until now is to last longer than this; undefined where none is known to. */
function sharesBeyond({ gaps, now, lastRequestAt }: KeepAliveFacts): ((gap: number) => number) | undefined {
  const pausing = gapsLongerThan(gaps, now - lastRequestAt);
  return pausing > 0 ? (gap) => gapsLongerThan(gaps, gap) / pausing : undefined;
}

const pingCostOf = ({ cachedTokens, prices }: KeepAliveFacts): number =>
  (cachedTokens * prices.cacheRead + PING_OUTPUT_TOKENS * prices.output) / MILLION;

/** At least a second, so that a request has time to begin, and at most half of the time there is. */
const marginOf = (settings: KeepAliveSettings, ttl: Ttl): number => {
  const margin = ttl === "1h" ? settings.cacheKeepAliveMargin1h : settings.cacheKeepAliveMargin5m;
  return Math.min(ttlMilliseconds[ttl] / 2, Math.max(1000, margin));
};

/** The number of keep-alives that is expected to save most of the loss; undefined where none saves anything. */
function bestPlan(
  facts: KeepAliveFacts,
  { expiresAt, loss, mostPings }: { expiresAt: number; loss: number; mostPings: number },
): KeepAlivePlan | undefined {
  const { settings, ttl, now, lastRequestAt } = facts;
  const lifetime = ttlMilliseconds[ttl];
  const step = lifetime - marginOf(settings, ttl);
  const idle = now - lastRequestAt;
  const shareBeyond = sharesBeyond(facts);
  if (shareBeyond === undefined) return undefined;
  const pingCost = pingCostOf(facts);
  const lostWithout = shareBeyond(expiresAt - lastRequestAt);
  let best: KeepAlivePlan | undefined;
  let cost = 0;
  for (let pings = 1; pings <= mostPings; pings += 1) {
    const pingAt = idle + (pings - 1) * step;
    const isStillPausing = shareBeyond(pingAt);
    cost += isStillPausing * pingCost;
    const saving = (lostWithout - shareBeyond(pingAt + lifetime)) * loss;
    if (saving - cost > (best === undefined ? 0 : best.saving - best.cost)) best = { pings, cost, saving };
    // What is still to be won can no longer make up for what the next one costs.
    if (lostWithout * loss <= cost) break;
  }
  return best;
}
