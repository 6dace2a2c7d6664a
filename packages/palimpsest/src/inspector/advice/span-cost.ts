import { findModel, type Prices } from "@palimpsest/core";
import { pricesAt } from "@palimpsest/core/engine";
import { promptTokens } from "../../replay/measures/recorded-bill.js";
import type { AdvisedRequest } from "./advised-request.js";

const PER_MILLION = 1_000_000;

/** The prices that held for a request; undefined for a model without known ones. */
export function pricesOf({ model, usage }: AdvisedRequest): Prices | undefined {
  const known = findModel(model);
  return known && pricesAt(known, promptTokens(usage));
}

/** Dollars that so many tokens of a request's prompt cost from a place on: what was read stands first, then what was written. */
export function spanCost(request: AdvisedRequest, from: number, tokens: number): number {
  const prices = pricesOf(request);
  if (prices === undefined) return 0;
  const { cacheRead, cacheWrite5m, cacheWrite1h, input } = request.usage;
  const bands: readonly (readonly [tokens: number, price: number])[] = [
    [cacheRead, prices.cacheRead],
    // Longer lifetimes stand before shorter ones.
    [cacheWrite1h, prices.cacheWrite1h],
    [cacheWrite5m, prices.cacheWrite5m],
    [input, prices.input],
  ];
  let start = 0;
  let dollars = 0;
  for (const [size, price] of bands) {
    const inside = Math.min(from + tokens, start + size) - Math.max(from, start);
    if (inside > 0) dollars += inside * price;
    start += size;
  }
  return dollars / PER_MILLION;
}

/** Dollars of everything that a request sent. */
export const inputCost = (request: AdvisedRequest): number =>
  spanCost(request, 0, promptTokens(request.usage));

/** Dollars of what it was answered, or of so many tokens of that. */
export const outputCost = (request: AdvisedRequest, tokens = request.usage.output): number =>
  (tokens * (pricesOf(request)?.output ?? 0)) / PER_MILLION;
