import { trackedAs, type QuerySource } from "../../../messages/call/query-source.js";
import type { Prices } from "../../../models/model.js";
import type { ProviderCapabilities } from "../../ports/capabilities.js";
import type { Settings } from "../../settings/settings.js";
import type { Ttl } from "../markers.js";
import { expectedCost, switchCost, type TtlCosts } from "./expected-cost.js";
import { addEvidence, addRequest, noEvidence, requestsSeen, weighEvidence } from "./gap-evidence.js";
import type { GapEvidence, PromptRequest } from "./gap-evidence.js";
import { noGapHistory, seenBefore, type GapHistory } from "./gap-history.js";
import { withPrior } from "./gap-prior.js";
import { matchesSource } from "./source-patterns.js";

/** `auto`: an hour where the account may have it and it pays. `1h`: an hour, whatever the account. */
export type TtlSettings = Pick<Settings, "cacheTtl" | "cacheTtlSources">;

/** What the host knows of the account. */
export interface CacheAccount {
  /** Whether it may write entries of an hour. */
  readonly isEligible: boolean;
  /** Whether it is beyond what its plan includes. */
  readonly isInOverage: boolean;
}

/** What a decision is made of. */
export interface TtlFacts {
  /** Whose conversation it is: the main thread's, a program's, a subagent's own. */
  readonly source: QuerySource;
  readonly account: CacheAccount;
  readonly settings: TtlSettings;
  readonly capabilities: Pick<ProviderCapabilities, "ttls">;
  readonly prices: Prices;
  /** Of earlier conversations. */
  readonly history?: GapHistory | undefined;
}

export interface TtlDecision {
  readonly ttl: Ttl;
  readonly reason:
    /** The provider has no entries of an hour. */
    | "not-offered"
    /** A person set it. */
    | "setting"
    /** The source is not among those that may have an hour. */
    | "not-listed"
    | "not-eligible"
    | "overage"
    /** An hour is expected to cost less, or not. */
    | "pays"
    | "does-not-pay";
  /** Where it was weighed: dollars for the prompts of the requests to come, what a change costs included. */
  readonly expected?: TtlCosts;
}

/** What was settled at first use. Permission and patterns stay; only what was weighed may be weighed again. */
interface LatchedTtl {
  readonly source: QuerySource;
  readonly patterns: readonly string[];
  /** False where nothing was left to weigh. */
  readonly isWeighed: boolean;
  readonly decision: TtlDecision;
}

/** The lifetimes of one conversation, a plain value. */
export interface TtlState {
  /** What its requests have shown. */
  readonly evidence: GapEvidence;
  readonly lastRequestAt?: number;
  readonly latched?: LatchedTtl;
}

/** A state in which the first use has been. */
export interface LatchedTtlState extends TtlState {
  readonly latched: LatchedTtl;
}

export const freshTtlState: TtlState = { evidence: noEvidence };

const isLatched = (state: TtlState): state is LatchedTtlState => state.latched !== undefined;

/** The state with a decision; the same state where there is one already, whatever has changed since. */
export function latchTtl(state: TtlState, facts: TtlFacts): LatchedTtlState {
  if (isLatched(state)) return state;
  const { source, settings } = facts;
  const settled = settledDecision(facts);
  const decision = settled ?? weigh(state, facts);
  const isWeighed = settled === undefined;
  return { ...state, latched: { source, patterns: [...settings.cacheTtlSources], isWeighed, decision } };
}

/**
 * What a request of this conversation counts beside one of others: whoever made forty without a pause is more likely a
 * program at work than a person who happened to stay.
 */
const OWN_WEIGHT = 12;

/**
 * The state after a compaction, with the only change of mind there is: the messages are written anew anyway, so
 * another lifetime costs no more than `headTokens`, the tools and the system prompt. What was settled without
 * weighing stays.
 */
export function reconsiderTtl(
  state: TtlState,
  facts: TtlFacts & { readonly headTokens: number },
): LatchedTtlState {
  if (!isLatched(state)) return latchTtl(state, facts);
  const { latched } = state;
  if (!latched.isWeighed) return state;
  const own = { ...state, evidence: weighEvidence(state.evidence, OWN_WEIGHT) };
  const decision = weigh(own, {
    ...facts,
    source: latched.source,
    current: latched.decision.ttl,
  });
  return { ...state, latched: { ...latched, decision } };
}

/** The state after a request began. Calls beside the conversation that read its prefix are noted too. */
export function noteRequest<State extends TtlState>(state: State, request: PromptRequest): State {
  const { at, prefixTokens, newTokens } = request;
  if (!Number.isFinite(at)) return state;
  const { lastRequestAt } = state;
  const gap = lastRequestAt === undefined ? {} : { gap: at - lastRequestAt };
  const evidence = addRequest(state.evidence, { prefixTokens, newTokens, ...gap });
  return { ...state, evidence, lastRequestAt: Math.max(at, lastRequestAt ?? at) };
}

/** The lifetimes that a source gives its markers. */
export interface SourceTtls {
  /** Of markers that stand where the conversation's own requests have theirs. */
  readonly shared: Ttl;
  /** Of markers that only this source has. Never longer than `shared`, which stand before them. */
  readonly own: Ttl;
}

/** What was latched, for this source; five minutes before anything was. */
export function ttlsFor({ latched }: TtlState, source: QuerySource): SourceTtls {
  if (latched === undefined) return { shared: "5m", own: "5m" };
  const shared = latched.decision.ttl;
  // What is tracked under another name speaks for the conversation itself.
  const isMain = source === latched.source || trackedAs(source) !== source;
  return { shared, own: isMain || matchesSource(latched.patterns, source) ? shared : "5m" };
}

/** What may be expected of the conversation's gaps: assumed, seen in earlier ones, seen in this one. */
export const gapsToExpect = (state: TtlState, facts: Pick<TtlFacts, "source" | "history">): GapEvidence =>
  withPrior(
    facts.source,
    addEvidence(seenBefore(facts.history ?? noGapHistory, facts.source), state.evidence),
  );

/** What is decided without weighing anything; undefined where an hour may be had if it pays. */
export function settledDecision({
  source,
  account,
  settings,
  capabilities,
}: TtlFacts): TtlDecision | undefined {
  if (!capabilities.ttls.includes("1h")) return { ttl: "5m", reason: "not-offered" };
  if (settings.cacheTtl === "5m") return { ttl: "5m", reason: "setting" };
  if (!matchesSource(settings.cacheTtlSources, trackedAs(source))) return { ttl: "5m", reason: "not-listed" };
  if (settings.cacheTtl === "1h") return { ttl: "1h", reason: "setting" };
  if (!account.isEligible) return { ttl: "5m", reason: "not-eligible" };
  return account.isInOverage ? { ttl: "5m", reason: "overage" } : undefined;
}

type WeighedFacts = Pick<TtlFacts, "source" | "history" | "prices"> & {
  readonly current?: Ttl;
  readonly headTokens?: number;
};

function weigh(state: TtlState, facts: WeighedFacts): TtlDecision {
  const { prices, current, headTokens = 0 } = facts;
  const gaps = gapsToExpect(state, facts);
  // As many as a conversation has on average: how far this one has come says little about when it ends.
  const requests = requestsSeen(gaps) / Math.max(1, gaps.conversations);
  const costOf = (ttl: Ttl): number =>
    expectedCost(gaps, { ttl, prices, requests }) +
    (current === undefined || current === ttl ? 0 : switchCost(headTokens, { ttl, prices }));
  const expected = { "5m": costOf("5m"), "1h": costOf("1h") };
  return expected["1h"] < expected["5m"]
    ? { ttl: "1h", reason: "pays", expected }
    : { ttl: "5m", reason: "does-not-pay", expected };
}
