import type { Model, Prices } from "../../models/model.js";
import type { CacheFacts, CostVerdict } from "../events/cost-verdict.js";

/** What is needed to say what a change costs. */
export interface CostFacts {
  readonly prices: Prices;
  readonly cache: CacheFacts;
  /** Requests still to come; a setting where nobody knows. */
  readonly expectedTurnsLeft?: number;
}

export interface PricedChange {
  /** Tokens that every later request no longer carries. */
  readonly cleared: number;
  /** Tokens after the first change that are written instead of read. */
  readonly suffix: number;
  /** Tokens that each later turn writes again, because the change moves on with it. */
  readonly suffixEachTurn?: number;
  /** Tokens of thinking that has to go with the change: what it cost to think them is lost. */
  readonly thinkingLost?: number;
  readonly expectedTurnsLeft: number;
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
  const { cleared, suffix, expectedTurnsLeft } = change;
  const writePrice = cache.ttl === "1h" ? prices.cacheWrite1h : prices.cacheWrite5m;
  const readPrice = cache.state === "off" ? prices.input : prices.cacheRead;
  const laterTurns = Math.max(0, expectedTurnsLeft - 1);
  const moved = (change.suffixEachTurn ?? 0) * laterTurns;
  // A cache that was cold is warm from the next turn on: a change that moves each turn costs from then on.
  const rewritten = cache.state === "off" ? 0 : moved + (cache.state === "warm" ? suffix : 0);
  const saved = (cleared * readPrice * expectedTurnsLeft) / MILLION;
  const spent =
    (rewritten * Math.max(0, writePrice - readPrice) + (change.thinkingLost ?? 0) * prices.output) / MILLION;
  return {
    pays: saved > spent,
    saved,
    spent,
    cleared,
    suffix,
    cacheTokensLost: cache.state === "warm" ? suffix + cleared + (change.thinkingLost ?? 0) : 0,
    expectedTurnsLeft,
    cache: cache.state,
  };
}
