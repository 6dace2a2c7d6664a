import type { QuerySource } from "../../../messages/call/query-source.js";
import type { Prices } from "../../../models/model.js";
import { findModel } from "../../../models/table.js";
import { pricesAt } from "../../money/cost-rule.js";
import type { Ttl } from "../markers.js";
import { relativePrices, requestCost, type TtlCosts } from "./expected-cost.js";
import type { GapEvidence, PromptRequest } from "./gap-evidence.js";
import type { GapHistory } from "./gap-history.js";
import { decideKeepAlive, type KeepAliveSettings } from "./keep-alive.js";
import type { RecordedRequest } from "./recorded-requests.js";
import { defaultSettings } from "../../settings/settings.js";
import {
  freshTtlState,
  gapsToExpect,
  latchTtl,
  noteRequest,
  reconsiderTtl,
  type LatchedTtlState,
  type TtlFacts,
  type TtlSettings,
} from "./ttl-state.js";

export interface ComparisonOptions {
  /** Default the main thread. */
  readonly source?: QuerySource;
  /** What earlier conversations had shown. */
  readonly history?: GapHistory | undefined;
  /** As the setting. Default `auto`. */
  readonly cacheTtl?: TtlSettings["cacheTtl"];
  /** Keep-alives in every pause and after the end, where they are decided for. */
  readonly keepAlive?: KeepAliveSettings;
}

/** What a recorded conversation's prompts would have cost, in dollars. */
export interface TtlComparison {
  readonly requests: number;
  /** With one lifetime throughout. */
  readonly always: TtlCosts;
  /** With the lifetimes that an eligible account is given, what changing them costs included. */
  readonly chosen: number;
  /** What was chosen first, and at each compaction. */
  readonly decisions: readonly Ttl[];
  /** Keep-alives that went out. */
  readonly pings: number;
  /** What the conversation has shown, for the history. */
  readonly evidence: GapEvidence;
}

/** Compares lifetimes over a conversation as it was recorded; every decision knows only what came before it. */
export function compareTtls(
  requests: readonly RecordedRequest[],
  options: ComparisonOptions = {},
): TtlComparison {
  const always = { "5m": 0, "1h": 0 };
  const decisions: Ttl[] = [];
  let state: LatchedTtlState | undefined;
  let before: RecordedRequest | undefined;
  let chosen = 0;
  let pings = 0;
  for (const request of requests) {
    const prices = pricesOf(request);
    const spaced = spacedAfter(before, request);
    always["5m"] += requestCost(spaced, { ttl: "5m", prices });
    always["1h"] += requestCost(spaced, { ttl: "1h", prices });

    const paused = before && state && keptAlive({ state, before, until: request.at }, options);
    chosen += paused?.cost ?? 0;
    pings += paused?.pings ?? 0;

    const previous = state?.latched.decision.ttl;
    const facts = factsFor(prices, options);
    state ??= latchTtl(freshTtlState, facts);
    if (request.followsCompaction)
      state = reconsiderTtl(state, { ...facts, headTokens: request.prefixTokens });
    const { ttl } = state.latched.decision;
    if (previous === undefined || request.followsCompaction) decisions.push(ttl);
    const isLost = previous !== undefined && previous !== ttl;
    const reached = isLost ? undefined : (paused?.gap ?? spaced.gap);
    chosen += requestCost(
      { ...request, ...(reached === undefined ? {} : { gap: reached }) },
      { ttl, prices },
    );
    state = noteRequest(state, request);
    before = request;
  }
  const ended = before && state && keptAlive({ state, before, until: Infinity }, options);
  return {
    requests: requests.length,
    always,
    chosen: chosen + (ended?.cost ?? 0),
    decisions,
    pings: pings + (ended?.pings ?? 0),
    evidence: state?.evidence ?? freshTtlState.evidence,
  };
}

function pricesOf({ model, prefixTokens, newTokens }: RecordedRequest): Prices {
  const known = findModel(model);
  return known === undefined ? relativePrices : pricesAt(known, prefixTokens + newTokens);
}

const spacedAfter = (before: PromptRequest | undefined, { at, prefixTokens, newTokens }: PromptRequest) => ({
  prefixTokens,
  newTokens,
  ...(before === undefined ? {} : { gap: at - before.at }),
});

const factsFor = (
  prices: Prices,
  { source = "repl_main_thread", history, cacheTtl = "auto" }: ComparisonOptions,
): TtlFacts => ({
  source,
  account: { isEligible: true, isInOverage: false },
  settings: { cacheTtl, cacheTtlSources: defaultSettings.cacheTtlSources },
  capabilities: { ttls: ["5m", "1h"] },
  prices,
  ...(history === undefined ? {} : { history }),
});

interface Pause {
  readonly state: LatchedTtlState;
  readonly before: RecordedRequest;
  readonly until: number;
}

/** What keep-alives cost in a pause, and how long before its end the last one was. */
function keptAlive(
  { state, before, until }: Pause,
  options: ComparisonOptions,
): { readonly cost: number; readonly pings: number; readonly gap: number } | undefined {
  if (options.keepAlive === undefined) return undefined;
  const prices = pricesOf(before);
  const { ttl } = state.latched.decision;
  const cachedTokens = before.prefixTokens + before.newTokens;
  const gaps = gapsToExpect(state, factsFor(prices, options));
  let refreshedAt = before.at;
  let cost = 0;
  for (let pings = 0, now = before.at; ;) {
    const decision = decideKeepAlive({
      settings: options.keepAlive,
      ttl,
      now,
      lastRequestAt: before.at,
      lastPingAt: refreshedAt,
      pingsSoFar: pings,
      cachedTokens,
      prices,
      gaps,
    });
    const next = decision.kind === "wait" ? decision.until : now;
    if (decision.kind === "stop" || next >= until) return { cost, pings, gap: until - refreshedAt };
    now = next;
    if (decision.kind === "wait") continue;
    refreshedAt = now;
    pings += 1;
    cost += requestCost({ prefixTokens: cachedTokens, newTokens: 0, gap: 0 }, { ttl, prices });
  }
}
