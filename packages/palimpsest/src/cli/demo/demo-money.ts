import { findModel, pricesAt, type ResponseUsage } from "@palimpsest/core";
import { billedUsage } from "@palimpsest/core/protocols";
import { createUsageTally } from "../../agent/session/usage-tally.js";

/** What the agent's calls cost, and what they would cost otherwise. */
export interface DemoMoney {
  /** `isSubagent`: whoever drives the main conversation, this call stays the same. */
  readonly add: (model: string, usage: ResponseUsage, isSubagent: boolean) => void;
  readonly figures: () => MoneyFigures;
}

export interface MoneyFigures {
  readonly cost: number;
  /** The same tokens, all of them at the full price of input. */
  readonly withoutCaching: number;
  /** Of `cost`, what subagents took. */
  readonly subagentCost: number;
  /** Tokens read from the cache of all input tokens. */
  readonly cacheHit: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly calls: number;
}

const PER_MILLION = 1_000_000;

export function createDemoMoney(): DemoMoney {
  const all = createUsageTally();
  const subagents = createUsageTally();
  let withoutCaching = 0;
  return {
    add(name, usage, isSubagent) {
      all.add(name, usage);
      if (isSubagent) subagents.add(name, usage);
      const model = findModel(name);
      if (model === undefined) return;
      const {
        input_tokens: input,
        cache_read_input_tokens: read,
        output_tokens,
        cache_creation,
      } = billedUsage(usage);
      const prompt =
        input + read + cache_creation.ephemeral_5m_input_tokens + cache_creation.ephemeral_1h_input_tokens;
      const prices = pricesAt(model, prompt);
      withoutCaching += (prompt * prices.input + output_tokens * prices.output) / PER_MILLION;
    },
    figures() {
      const { cost, inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, calls } = all.totals();
      const prompt = inputTokens + cacheReadTokens + cacheWriteTokens;
      return {
        cost,
        withoutCaching,
        subagentCost: subagents.totals().cost,
        cacheHit: prompt === 0 ? 0 : cacheReadTokens / prompt,
        inputTokens: prompt,
        outputTokens,
        calls,
      };
    },
  };
}
