import {
  accountByModel,
  accountTotal,
  findModel,
  type Account,
  type AccountSum,
  type AccountTotal,
} from "@palimpsest/core";
import type { StreamLine } from "./stream-line.js";

/** What a conversation has cost, and what it had cost when the run began. */
export interface RunCost {
  readonly account: Account;
  readonly begun: Account;
}

/**
 * What an account says in the documents of the command. `usage` is that of the run; what was paid is that of the
 * conversation: all of it, by model, and by model and source.
 */
export function costFields({ account, begun }: RunCost): StreamLine {
  const [total, before] = [accountTotal(account), accountTotal(begun)];
  const run = (name: keyof AccountSum): number => total[name] - before[name];
  const tokens = {
    inputTokens: run("inputTokens"),
    outputTokens: run("outputTokens"),
    cacheReadTokens: run("cacheReadTokens"),
    cacheWriteTokens: run("cacheWrite5mTokens") + run("cacheWrite1hTokens"),
  };
  return {
    usage: {
      ...tokens,
      calls: run("calls"),
      unpricedCalls: run("unpricedCalls"),
      estimatedCalls: total.estimated.calls - before.estimated.calls,
      input_tokens: tokens.inputTokens,
      output_tokens: tokens.outputTokens,
      cache_read_input_tokens: tokens.cacheReadTokens,
      cache_creation_input_tokens: tokens.cacheWriteTokens,
      cache_creation: {
        ephemeral_5m_input_tokens: run("cacheWrite5mTokens"),
        ephemeral_1h_input_tokens: run("cacheWrite1hTokens"),
      },
    },
    cost: total.dollars,
    total_cost_usd: total.dollars,
    run_cost_usd: run("dollars"),
    estimated_cost_usd: total.estimated.dollars,
    modelUsage: Object.fromEntries(
      [...accountByModel(account)].map(([model, sum]) => [model, { ...modelFields(sum), ...limits(model) }]),
    ),
    account: account.lines.map(({ model, source, ...sum }) => ({ model, source, ...modelFields(sum) })),
  };
}

const writtenTokens = ({ cacheWrite5mTokens, cacheWrite1hTokens }: AccountSum): number =>
  cacheWrite5mTokens + cacheWrite1hTokens;

/** Of one model: either all of its calls have a price or none has. */
const modelFields = (sum: AccountTotal): StreamLine => ({
  inputTokens: sum.inputTokens,
  outputTokens: sum.outputTokens,
  cacheReadInputTokens: sum.cacheReadTokens,
  cacheCreationInputTokens: writtenTokens(sum),
  calls: sum.calls,
  estimatedCalls: sum.estimated.calls,
  costUSD: sum.unpricedCalls > 0 ? null : sum.dollars,
});

function limits(name: string): StreamLine {
  const model = findModel(name);
  return model === undefined
    ? {}
    : { contextWindow: model.contextWindow, maxOutputTokens: model.maxOutputTokens };
}
