import { billedUsage } from "../../messages/billed-usage.js";
import type { BilledCall } from "../../messages/billed-calls.js";
import type { QuerySource } from "../../messages/call/query-source.js";
import { findModel } from "../../models/table.js";
import { priceCalls } from "./price-calls.js";

/** Calls, tokens and dollars. */
export interface AccountSum {
  readonly calls: number;
  /** Input at its full price. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWrite5mTokens: number;
  readonly cacheWrite1hTokens: number;
  readonly outputTokens: number;
  /** Of the calls whose model has known prices. */
  readonly dollars: number;
  /** Calls to models without known prices: they are in the tokens, not in the dollars. */
  readonly unpricedCalls: number;
}

/** A sum, and the part of it that is not the API's own figure. */
export interface AccountTotal extends AccountSum {
  /** Calls that were cut off: they are in the figures beside, and here by themselves. */
  readonly estimated: AccountSum;
}

/** What one source has used of one model. */
export interface AccountLine extends AccountTotal {
  /** As the table of models has it; a model that is not there by the name it was called by. */
  readonly model: string;
  readonly source: QuerySource;
}

/** What a conversation has cost: one line for each model and source. A value: adding a call gives another one. */
export interface Account {
  readonly lines: readonly AccountLine[];
}

const nothing: AccountSum = {
  calls: 0,
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWrite5mTokens: 0,
  cacheWrite1hTokens: 0,
  outputTokens: 0,
  dollars: 0,
  unpricedCalls: 0,
};

const noTotal: AccountTotal = { ...nothing, estimated: nothing };

/** The account of a conversation that has cost nothing yet. */
export const emptyAccount: Account = { lines: [] };

/** The account with one more call. */
export function addCall(account: Account, call: BilledCall): Account {
  const { source } = call;
  const model = findModel(call.model)?.id ?? call.model;
  const sum = sumOf(call);
  const total = { ...sum, estimated: call.estimated === undefined ? nothing : sum };
  const isSame = (line: AccountLine): boolean => line.model === model && line.source === source;
  return {
    lines: account.lines.some(isSame)
      ? account.lines.map((line) => (isSame(line) ? { ...line, ...addTotals(line, total) } : line))
      : [...account.lines, { model, source, ...total }],
  };
}

/** The account of these calls. */
export const accountOf = (calls: Iterable<BilledCall>): Account => {
  let account = emptyAccount;
  for (const call of calls) account = addCall(account, call);
  return account;
};

/** All lines of an account together. */
export const accountTotal = ({ lines }: Account): AccountTotal => lines.reduce(addTotals, noTotal);

/** What each model has cost. */
export const accountByModel = (account: Account): ReadonlyMap<string, AccountTotal> =>
  totalsBy(account, ({ model }) => model);

/** What each source has cost: answers, compactions, notes, subagents. */
export const accountBySource = (account: Account): ReadonlyMap<QuerySource, AccountTotal> =>
  totalsBy(account, ({ source }) => source);

function totalsBy(
  { lines }: Account,
  keyOf: (line: AccountLine) => string,
): ReadonlyMap<string, AccountTotal> {
  const totals = new Map<string, AccountTotal>();
  for (const line of lines) totals.set(keyOf(line), addTotals(totals.get(keyOf(line)) ?? noTotal, line));
  return totals;
}

function sumOf(call: BilledCall): AccountSum {
  const billed = billedUsage(call.usage);
  const { dollars, unpricedCalls } = priceCalls([call]);
  return {
    calls: 1,
    inputTokens: billed.input_tokens,
    cacheReadTokens: billed.cache_read_input_tokens,
    cacheWrite5mTokens: billed.cache_creation.ephemeral_5m_input_tokens,
    cacheWrite1hTokens: billed.cache_creation.ephemeral_1h_input_tokens,
    outputTokens: billed.output_tokens,
    dollars,
    unpricedCalls,
  };
}

const addTotals = (left: AccountTotal, right: AccountTotal): AccountTotal => ({
  ...addSums(left, right),
  estimated: addSums(left.estimated, right.estimated),
});

/** What a sum is made of. */
const sumNames = Object.keys(nothing) as readonly (keyof AccountSum)[];

/** A sum of which each figure is asked for by its name. */
export const sumWith = (figureOf: (name: keyof AccountSum) => number): AccountSum =>
  Object.fromEntries(sumNames.map((name) => [name, figureOf(name)])) as unknown as AccountSum;

const addSums = (left: AccountSum, right: AccountSum): AccountSum =>
  sumWith((name) => left[name] + right[name]);
