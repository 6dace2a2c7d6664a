import { billedIterations, type BilledUsage } from "../../messages/billed-usage.js";
import type { BilledCall } from "../../messages/billed-calls.js";
import { findModel } from "../../models/table.js";
import { pricesAt } from "./cost-rule.js";

/** Dollars of a call by what is paid for. */
export interface CallPrice {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  /** All four together. */
  readonly dollars: number;
  /** What the same call would have cost without a prompt cache. */
  readonly withoutCache: number;
}

const PER_MILLION = 1_000_000;
/** What inference in one country costs more. */
const ONE_COUNTRY = 1.1;

/** By the table of models; undefined for a model that has no row there. */
export function priceCall({
  model: name,
  usage,
}: Pick<BilledCall, "model" | "usage">): CallPrice | undefined {
  const model = findModel(name);
  if (model === undefined) return undefined;
  const factor = (usage["inference_geo"] === "us" ? ONE_COUNTRY : 1) / PER_MILLION;
  let [input, cacheRead, cacheWrite, output, withoutCache] = [0, 0, 0, 0, 0];
  // Each prompt by itself: how long it is decides on its prices.
  for (const billed of billedIterations(usage)) {
    const prices = pricesAt(model, promptTokens(billed));
    const { ephemeral_5m_input_tokens: write5m, ephemeral_1h_input_tokens: write1h } = billed.cache_creation;
    input += billed.input_tokens * prices.input * factor;
    cacheRead += billed.cache_read_input_tokens * prices.cacheRead * factor;
    cacheWrite += (write5m * prices.cacheWrite5m + write1h * prices.cacheWrite1h) * factor;
    output += billed.output_tokens * prices.output * factor;
    withoutCache += (promptTokens(billed) * prices.input + billed.output_tokens * prices.output) * factor;
  }
  const dollars = input + cacheRead + cacheWrite + output;
  return { input, cacheRead, cacheWrite, output, dollars, withoutCache };
}

/** Everything that was read, whatever it cost. */
export const promptTokens = (billed: BilledUsage): number =>
  billed.input_tokens + billed.cache_read_input_tokens + billed.cache_creation_input_tokens;
