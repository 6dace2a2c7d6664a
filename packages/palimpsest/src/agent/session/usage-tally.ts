import { findModel, type ResponseUsage } from "@palimpsest/core";
import { billedUsage } from "@palimpsest/core/protocols";
import { priceOf } from "../../simulator/core/pricing.js";

/** Tokens and dollars of a session so far. */
export interface UsageTotals {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** Dollars; calls to models without known prices are not in it. */
  readonly cost: number;
  /** Calls whose price is not known. */
  readonly unpricedCalls: number;
  readonly calls: number;
}

export interface UsageTally {
  readonly add: (model: string, usage: ResponseUsage) => void;
  readonly totals: () => UsageTotals;
}

export function createUsageTally(): UsageTally {
  const sum = {
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    cost: 0,
    unpricedCalls: 0,
    calls: 0,
  };
  return {
    add(name, usage) {
      const billed = billedUsage(usage);
      const { ephemeral_5m_input_tokens: write5m, ephemeral_1h_input_tokens: write1h } =
        billed.cache_creation;
      const { input_tokens: input, cache_read_input_tokens: read, output_tokens: output } = billed;
      sum.calls += 1;
      sum.inputTokens += input;
      sum.outputTokens += output;
      sum.cacheReadTokens += read;
      sum.cacheWriteTokens += write5m + write1h;
      const model = findModel(name);
      if (model === undefined) {
        sum.unpricedCalls += 1;
        return;
      }
      sum.cost += priceOf(model, {
        input,
        cacheRead: read,
        cacheWrite5m: write5m,
        cacheWrite1h: write1h,
        output,
      });
    },
    totals: () => ({ ...sum }),
  };
}
