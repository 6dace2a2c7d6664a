import type { Prices } from "../../../models/model.js";
import { ttlMilliseconds } from "../cache-writes.js";
import type { Ttl } from "../markers.js";
import { gapBounds, requestsSeen, type GapEvidence, type SpacedRequest } from "./gap-evidence.js";

export interface Pricing {
  readonly ttl: Ttl;
  readonly prices: Prices;
}

/** Dollars by lifetime. */
export type TtlCosts = Readonly<Record<Ttl, number>>;

const MILLION = 1_000_000;

/** The multipliers that every known model's prices have in common, for one whose prices nobody knows. */
export const relativePrices: Prices = {
  input: 1,
  output: 5,
  cacheRead: 0.1,
  cacheWrite5m: 1.25,
  cacheWrite1h: 2,
};

export const writePrice = (prices: Prices, ttl: Ttl): number =>
  ttl === "1h" ? prices.cacheWrite1h : prices.cacheWrite5m;

/** Dollars for the prompt of one request: what is still cached is read, everything else is written. */
export function requestCost(
  { gap, prefixTokens, newTokens }: SpacedRequest,
  { ttl, prices }: Pricing,
): number {
  const isWarm = gap !== undefined && gap < ttlMilliseconds[ttl];
  const prefixPrice = isWarm ? prices.cacheRead : writePrice(prices, ttl);
  return (prefixTokens * prefixPrice + newTokens * writePrice(prices, ttl)) / MILLION;
}

/** Dollars for the prompts of `requests` requests like those seen; by default as many as were seen. */
export function expectedCost(
  evidence: GapEvidence,
  { ttl, prices, requests }: Pricing & { readonly requests?: number },
): number {
  const write = writePrice(prices, ttl);
  const seen = requestsSeen(evidence);
  if (seen === 0) return 0;
  const first = evidence.firstTokens * write;
  const cost = evidence.gaps.reduce((sum, { prefixTokens, newTokens }, index) => {
    const isWarm = (gapBounds[index] ?? Infinity) <= ttlMilliseconds[ttl];
    return sum + prefixTokens * (isWarm ? prices.cacheRead : write) + newTokens * write;
  }, first);
  return (cost / MILLION) * ((requests ?? seen) / seen);
}

/** What it costs to leave one lifetime for another: tools and system prompt are written anew, not read. */
export const switchCost = (headTokens: number, { ttl, prices }: Pricing): number =>
  (headTokens * Math.max(0, writePrice(prices, ttl) - prices.cacheRead)) / MILLION;
