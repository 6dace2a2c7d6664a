import type { Model, Prices } from "../../models/model.js";
import type { CacheFacts, CostVerdict } from "../events/cost-verdict.js";

/** What is needed to say what a change costs. */
export interface CostFacts {
  readonly prices: Prices;
  readonly cache: CacheFacts;
  /** Requests still to come; a setting where nobody knows. */
  readonly expectedRoundsLeft?: number;
}

export interface PricedChange {
  /** Tokens that every later request no longer carries. */
  readonly cleared: number;
  /** Tokens after the first change that are written instead of read. */
  readonly suffix: number;
  /** Tokens that each later round writes again, because the change moves on with it. */
  readonly suffixEachRound?: number;
  /** Tokens of thinking that has to go with the change: what it cost to think them is lost. */
  readonly thinkingLost?: number;
  readonly expectedRoundsLeft: number;
}

const MILLION = 1_000_000;

/** The prices that hold for a prompt of this length. */
export const pricesAt = (model: Model, promptTokens: number): Prices =>
  model.longPrompt !== undefined && promptTokens > model.longPrompt.above
    ? model.longPrompt.prices
    : model.prices;

/**
 * Whether a change in the middle of a prefix pays. With a cold cache everything is written anew whatever
 * happens, without a cache everything is paid in full: then the change itself costs nothing.
 */
export function weighChange(
  change: PricedChange,
  { prices, cache }: Pick<CostFacts, "prices" | "cache">,
): CostVerdict {
  const { cleared, suffix, expectedRoundsLeft } = change;
  const writePrice = cache.ttl === "1h" ? prices.cacheWrite1h : prices.cacheWrite5m;
  const readPrice = cache.state === "off" ? prices.input : prices.cacheRead;
  const laterRounds = Math.max(0, expectedRoundsLeft - 1);
  const moved = (change.suffixEachRound ?? 0) * laterRounds;
  // A cache that was cold is warm from the next round on: a change that moves each round costs from then on.
  const rewritten = cache.state === "off" ? 0 : moved + (cache.state === "warm" ? suffix : 0);
  const saved = (cleared * readPrice * expectedRoundsLeft) / MILLION;
  const spent =
    (rewritten * Math.max(0, writePrice - readPrice) + (change.thinkingLost ?? 0) * prices.output) / MILLION;
  return {
    pays: saved > spent,
    saved,
    spent,
    cleared,
    suffix,
    cacheTokensLost: cache.state === "warm" ? suffix + cleared + (change.thinkingLost ?? 0) : 0,
    expectedRoundsLeft,
    cache: cache.state,
  };
}
