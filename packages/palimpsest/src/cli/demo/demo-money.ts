import { accountBySource, accountTotal, type Account, type EngineEvents } from "@palimpsest/core";

/** What the agent's calls cost, and what they would cost otherwise. */
export interface DemoMoney {
  readonly add: (call: EngineEvents["call_billed"]) => void;
  readonly figures: (account: Account) => MoneyFigures;
}

export interface MoneyFigures {
  readonly cost: number;
  /** The same tokens, all of them at the full price of input. */
  readonly withoutCaching: number;
  /** Of `cost`, what subagents took: whoever drives the main conversation, it stays the same. */
  readonly subagentCost: number;
  /** Tokens read from the cache of all input tokens. */
  readonly cacheHit: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly calls: number;
}

export function createDemoMoney(): DemoMoney {
  let withoutCaching = 0;
  return {
    add({ price }) {
      withoutCaching += price.withoutCache;
    },
    figures(account) {
      const total = accountTotal(account);
      const { dollars: cost, cacheReadTokens, outputTokens, calls } = total;
      const prompt =
        total.inputTokens + cacheReadTokens + total.cacheWrite5mTokens + total.cacheWrite1hTokens;
      const subagents = [...accountBySource(account)].filter(([source]) => source.startsWith("agent:"));
      return {
        cost,
        withoutCaching,
        subagentCost: subagents.reduce((sum, [, { dollars }]) => sum + dollars, 0),
        cacheHit: prompt === 0 ? 0 : cacheReadTokens / prompt,
        inputTokens: prompt,
        outputTokens,
        calls,
      };
    },
  };
}
