import { accountByModel, type AccountTotal } from "@palimpsest/core";
import {
  PAYERS,
  totalOf,
  type BreakFigures,
  type ConversationFigures,
  type DayFigures,
  type LaneFigures,
  type NotedBreak,
  type Receipt,
} from "./receipt.js";
import type { WhatIfFigures } from "./what-if-figures.js";

/** Tokens by what is paid for. */
interface UsageFigures {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly output: number;
}

interface ModelFigures {
  readonly calls: number;
  readonly usage: UsageFigures;
  readonly cost: number;
  /** Whether its prices are known: where they are not, its dollars are 0. */
  readonly priced: boolean;
}

/** What dollars are: the API's bill, what the API would have taken for what a subscription paid, or some of each. */
type CostMeaning = "billed" | "api-equivalent" | "mixed";

/** A receipt as `--receipt`, `--json` and `GET /__gateway/stats` give it. Names are a contract. */
export interface ReceiptDocument {
  readonly since: string;
  readonly mode: string;
  readonly requests: number;
  readonly identical: number;
  readonly unwatched: number;
  readonly usage: UsageFigures;
  readonly cost: number;
  readonly costIs: CostMeaning;
  /** The part of the dollars that a subscription pays for. */
  readonly subscriptionCost: number;
  readonly models: Readonly<Record<string, ModelFigures>>;
  readonly days: Readonly<Record<string, DayFigures>>;
  readonly conversations: number;
  readonly lanes: number;
  /** Lines of requests that were dropped from memory for newer ones: if one of them goes on, it counts as a new conversation. */
  readonly forgotten: number;
  readonly subagentCost: number;
  readonly conversationCosts: Readonly<Record<string, Omit<ConversationFigures, "id">>>;
  readonly laneCosts: Readonly<Record<string, Omit<LaneFigures, "id">>>;
  readonly breaks: Readonly<Record<string, BreakFigures>>;
  readonly newestBreaks: readonly NotedBreak[];
  readonly tokenCounts: number;
  readonly errors: number;
  readonly errorTypes: Readonly<Record<string, number>>;
  readonly lost: number;
  readonly unread: Readonly<Record<string, number>>;
  readonly unrecorded: Readonly<Record<string, number>>;
  /** In the figures, and in no conversation: their requests were too large to be kept, or came faster than they could be read. */
  readonly unplaced: number;
  readonly quota: Readonly<Record<string, string>>;
  /**
   * Dollars that other policies would have cost on the requests of `whatIfOf`, what they forget read again. Empty as long as nobody has
   * asked; it is found out at the end of a run, and by `GET /__gateway/what-if`.
   */
  readonly whatIf: Readonly<Record<string, number>>;
  readonly whatIfOf: WhatIfBasis | null;
  /** What active mode has done: nothing, as long as every byte is passed on as it came. */
  readonly standIns: number;
  readonly saved: { readonly gross: number; readonly spent: number; readonly net: number };
}

/** On what `whatIf` was found out, and when. */
interface WhatIfBasis extends Omit<WhatIfFigures, "policies"> {
  readonly at: string;
}

/** What other policies would have cost, as it was at a time. */
export interface DatedWhatIf {
  /** In milliseconds. */
  readonly at: number;
  readonly figures: WhatIfFigures;
}

export function receiptDocument(receipt: Receipt, mode: string, whatIf?: DatedWhatIf): ReceiptDocument {
  const { since, account, requests, identical, unwatched, days, tokenCounts, errors } = receipt;
  const total = totalOf(receipt);
  return {
    since: new Date(since).toISOString(),
    mode,
    requests,
    identical,
    unwatched,
    usage: usageFigures(total),
    cost: total.dollars,
    costIs: costMeaning(receipt),
    subscriptionCost: totalOf(receipt, PAYERS.subscription).dollars,
    models: Object.fromEntries(
      [...accountByModel(account)].map(([model, sum]) => [model, modelFigures(sum)]),
    ),
    days,
    conversations: receipt.conversations,
    lanes: receipt.lanes,
    subagentCost: receipt.subagentCost,
    forgotten: receipt.forgotten,
    conversationCosts: byId(receipt.conversationCosts),
    laneCosts: byId(receipt.laneCosts),
    breaks: receipt.breaks,
    newestBreaks: receipt.newestBreaks,
    tokenCounts,
    errors,
    errorTypes: receipt.errorTypes,
    lost: receipt.lost,
    unread: receipt.unread,
    unrecorded: receipt.unrecorded,
    unplaced: receipt.unplaced,
    quota: receipt.quota,
    ...whatIfFields(whatIf),
    standIns: 0,
    saved: { gross: 0, spent: 0, net: 0 },
  };
}

const byId = <Figures extends LaneFigures>(
  list: readonly Figures[],
): Readonly<Record<string, Omit<Figures, "id">>> =>
  Object.fromEntries(list.map(({ id, ...figures }) => [id, figures]));

function whatIfFields(whatIf: DatedWhatIf | undefined): Pick<ReceiptDocument, "whatIf" | "whatIfOf"> {
  if (whatIf === undefined) return { whatIf: {}, whatIfOf: null };
  const { policies, ...basis } = whatIf.figures;
  return { whatIf: policies, whatIfOf: { at: new Date(whatIf.at).toISOString(), ...basis } };
}

function costMeaning({ account }: Receipt): CostMeaning {
  const payers = new Set(account.lines.map(({ source }) => source));
  if (!payers.has(PAYERS.subscription)) return "billed";
  return payers.has(PAYERS.key) ? "mixed" : "api-equivalent";
}

const usageFigures = (sum: AccountTotal): UsageFigures => ({
  input: sum.inputTokens,
  cacheRead: sum.cacheReadTokens,
  cacheWrite5m: sum.cacheWrite5mTokens,
  cacheWrite1h: sum.cacheWrite1hTokens,
  output: sum.outputTokens,
});

const modelFigures = (sum: AccountTotal): ModelFigures => ({
  calls: sum.calls,
  usage: usageFigures(sum),
  cost: sum.dollars,
  priced: sum.unpricedCalls === 0,
});
