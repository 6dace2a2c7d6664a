import {
  accountByModel,
  accountBySource,
  accountOf,
  accountTotal,
  type AccountTotal,
  type BilledCall,
  type Message,
} from "@palimpsest/core";
import { priceOf } from "@palimpsest/core/totals";
import { recordedCalls } from "./recorded-calls.js";

/** What a recorded conversation cost, by the usage it holds, at today's prices. */
export interface RecordedCost {
  /** Of the calls whose model has known prices; null where there is none. */
  readonly dollars: number | null;
  /** The same by what was paid for. */
  readonly input: number;
  readonly cacheWrite: number;
  readonly cacheRead: number;
  readonly output: number;
  /** What the same requests would have cost without a prompt cache. */
  readonly withoutCache: number;
  readonly inputTokens: number;
  readonly cacheWriteTokens: number;
  readonly cacheReadTokens: number;
  readonly outputTokens: number;
  /** Tokens read from the cache of all input tokens. */
  readonly cacheHit: number;
  /** All calls that were paid for, whoever made them. */
  readonly responses: number;
  /** Calls for summaries, those that came to nothing included, and what they cost; they are in all other figures. */
  readonly summaryCalls: number;
  readonly summaryDollars: number;
  /** Calls to models without known prices, subagents' included: they are in the tokens, not in the dollars. */
  readonly unpricedResponses: number;
  /** Calls that were cut off, and what of the dollars is an estimate for that reason. */
  readonly estimatedCalls: number;
  readonly estimatedDollars: number;
  /** The same figures by the model that answered, and by who asked: `main`, `compact`, `session_memory`, `agent:…`. */
  readonly models: Readonly<Record<string, CostShare>>;
  readonly sources: Readonly<Record<string, CostShare>>;
}

interface CostShare {
  readonly calls: number;
  readonly estimatedCalls: number;
  readonly inputTokens: number;
  readonly cacheWriteTokens: number;
  readonly cacheReadTokens: number;
  readonly outputTokens: number;
  /** Null where no price is known. */
  readonly dollars: number | null;
}

/** Each response counts once, however many lines it has; subagents' responses and calls for summaries cost too. */
export const recordedCost = (messages: readonly Message[]): RecordedCost =>
  costOfCalls(recordedCalls(messages));

/** What these calls cost together. */
export function costOfCalls(calls: readonly BilledCall[]): RecordedCost {
  const account = accountOf(calls);
  const total = accountTotal(account);
  const paid = { input: 0, cacheWrite: 0, cacheRead: 0, output: 0, withoutCache: 0 };
  for (const { model, usage } of calls) {
    const price = priceOf(model, usage);
    if (price.kind === "unpriced") continue;
    paid.input += price.input;
    paid.cacheWrite += price.cacheWrite;
    paid.cacheRead += price.cacheRead;
    paid.output += price.output;
    paid.withoutCache += price.withoutCache;
  }
  const { dollars, ...all } = shareOf(total);
  const prompt = all.inputTokens + all.cacheWriteTokens + all.cacheReadTokens;
  const summaries = accountTotal(accountOf(calls.filter(({ source }) => isSummary(source))));
  return {
    dollars,
    ...paid,
    inputTokens: all.inputTokens,
    cacheWriteTokens: all.cacheWriteTokens,
    cacheReadTokens: all.cacheReadTokens,
    outputTokens: all.outputTokens,
    cacheHit: prompt === 0 ? 0 : all.cacheReadTokens / prompt,
    responses: all.calls,
    summaryCalls: summaries.calls,
    summaryDollars: summaries.dollars,
    unpricedResponses: total.unpricedCalls,
    estimatedCalls: all.estimatedCalls,
    estimatedDollars: total.estimated.dollars,
    models: sharesOf(accountByModel(account)),
    sources: sharesOf(accountBySource(account)),
  };
}

const isSummary = (source: string): boolean => source === "compact" || source.endsWith("/compact");

const sharesOf = (totals: ReadonlyMap<string, AccountTotal>): Readonly<Record<string, CostShare>> =>
  Object.fromEntries([...totals].map(([name, total]) => [name, shareOf(total)]));

const shareOf = (total: AccountTotal): CostShare => ({
  calls: total.calls,
  estimatedCalls: total.estimated.calls,
  inputTokens: total.inputTokens,
  cacheWriteTokens: total.cacheWrite5mTokens + total.cacheWrite1hTokens,
  cacheReadTokens: total.cacheReadTokens,
  outputTokens: total.outputTokens,
  dollars: total.calls > total.unpricedCalls ? total.dollars : null,
});
