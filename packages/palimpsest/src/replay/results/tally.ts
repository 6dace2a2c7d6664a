import type { Verdict } from "../../simulator/outcome.js";
import type { PolicyEdit } from "../policies/policy.js";
import type { ForgettingFigures, PolicyFigures } from "./policy-result.js";
import { addRereads, type Rereads } from "./rereads.js";

/** Compactions within so many rounds of the one before are counted apart. */
const RECOMPACTION_ROUNDS = 10;

/** What forgetting did, and what it cost. `cost`: the bill without regaining; `fullCost`: with it. */
export interface ForgettingTally {
  turns: number;
  cost: number;
  fullCost: number;
  edits: number;
  blindEdits: number;
  unreadEdits: number;
  neededTurns: number;
  blindTurns: number;
  regainRequests: number;
  regainSeconds: number;
  lost: number;
}

const emptyForgetting = (): ForgettingTally => ({
  turns: 0,
  cost: 0,
  fullCost: 0,
  edits: 0,
  blindEdits: 0,
  unreadEdits: 0,
  neededTurns: 0,
  blindTurns: 0,
  regainRequests: 0,
  regainSeconds: 0,
  lost: 0,
});

/** What is added up while a policy plays. Plain data: tallies of several conversations add up too. */
export interface Tally extends ForgettingTally {
  /** Of the turns before the first compaction that was recorded. */
  beforeRecordedCompaction: ForgettingTally;
  inputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  outputTokens: number;
  invalid: number;
  overflow: number;
  compactions: Record<string, number>;
  recompactions: number;
  references: number;
  missingReferences: number;
  /** Human messages so far, summed over the turns, and how many of them were there word for word. */
  humanMessages: number;
  presentMessages: number;
  /** The same in words, with no limit to the length of a message. */
  typedWords: number;
  presentWords: number;
  /** Milliseconds of each turn, by conversation. */
  cpu: number[][];
  sideCalls: number;
  sideCost: number;
  peakTokens: number;
  /** Only where the recording itself is played. */
  rereads?: Rereads;
}

export const emptyTally = (): Tally => ({
  ...emptyForgetting(),
  beforeRecordedCompaction: emptyForgetting(),
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  invalid: 0,
  overflow: 0,
  compactions: {},
  recompactions: 0,
  references: 0,
  missingReferences: 0,
  humanMessages: 0,
  presentMessages: 0,
  typedWords: 0,
  presentWords: 0,
  cpu: [],
  sideCalls: 0,
  sideCost: 0,
  peakTokens: 0,
});

export function addVerdict(tally: Tally, verdict: Verdict): void {
  tally.cost += verdict.cost;
  tally.inputTokens += verdict.input;
  tally.cacheReadTokens += verdict.cacheRead;
  tally.cacheWriteTokens += verdict.cacheWrite5m + verdict.cacheWrite1h;
  tally.outputTokens += verdict.output;
}

/** `since`: rounds answered since the last edit of the kind that summarises or drops; undefined for none. */
export function addEdits(tally: Tally, edits: readonly PolicyEdit[], since: number | undefined): void {
  for (const { tier } of edits) tally.compactions[tier] = (tally.compactions[tier] ?? 0) + 1;
  if (since !== undefined && since <= RECOMPACTION_ROUNDS && edits.some(isCompaction))
    tally.recompactions += 1;
}

/** Whether something was replaced by less, other than single results. */
export const isCompaction = ({ tier }: PolicyEdit): boolean =>
  tier === "full" || tier === "notes" || tier === "truncate";

/** Tallies of several conversations as one. */
export function addTallies(tallies: readonly Tally[]): Tally {
  const sum = emptyTally();
  for (const tally of tallies) {
    for (const [name, value] of Object.entries(tally) as [keyof Tally, Tally[keyof Tally]][]) {
      if (typeof value === "number" && name !== "peakTokens") (sum[name] as number) += value;
    }
    for (const [tier, count] of Object.entries(tally.compactions)) {
      sum.compactions[tier] = (sum.compactions[tier] ?? 0) + count;
    }
    const before = Object.entries(tally.beforeRecordedCompaction) as [keyof ForgettingTally, number][];
    for (const [name, value] of before) sum.beforeRecordedCompaction[name] += value;
    sum.cpu.push(...tally.cpu);
    if (tally.rereads !== undefined) sum.rereads = addRereads(sum.rereads, tally.rereads);
    sum.peakTokens = Math.max(sum.peakTokens, tally.peakTokens);
  }
  return sum;
}

export function figuresOf(tally: Tally, unlimitedCost: number): PolicyFigures {
  const { cpu, humanMessages, presentMessages, typedWords, presentWords, ...sums } = tally;
  const { beforeRecordedCompaction: before } = sums;
  const input = sums.inputTokens + sums.cacheReadTokens + sums.cacheWriteTokens;
  const all = cpu.flat();
  return {
    ...sums,
    ...regainCosts(sums),
    beforeRecordedCompaction: { ...before, ...regainCosts(before) },
    breakEven: null,
    costRatio: unlimitedCost === 0 ? 1 : sums.cost / unlimitedCost,
    cacheHit: input === 0 ? 0 : sums.cacheReadTokens / input,
    recall: sums.references === 0 ? 1 : 1 - sums.missingReferences / sums.references,
    userWords: humanMessages === 0 ? 1 : presentMessages / humanMessages,
    userWordsUncapped: typedWords === 0 ? 1 : presentWords / typedWords,
    cpuMsP50: percentile(all, 0.5),
    cpuMsP99: percentile(all, 0.99),
    cpuGrowth: growthOf(cpu),
  };
}

/** How much more than its price a forgotten turn may be worth: nobody knows. */
const REGAIN_FACTORS = [1, 2, 4] as const;

function regainCosts({
  cost,
  fullCost,
}: Pick<ForgettingTally, "cost" | "fullCost">): Pick<ForgettingFigures, "regainCost" | "costAt"> {
  const regainCost = fullCost - cost;
  const at = REGAIN_FACTORS.map((factor) => [factor, cost + factor * regainCost] as const);
  return { regainCost, costAt: Object.fromEntries(at) as ForgettingFigures["costAt"] };
}

/**
 * The same figures with each policy's break-even: how many times the price of regaining a forgotten turn has to be
 * worth for it and `palimpsest` to cost the same. Null where there is no such number, or no such policy.
 */
export function withBreakEven<Figures extends PolicyFigures>(
  policies: Readonly<Record<string, Figures>>,
): Readonly<Record<string, Figures>> {
  const names = Object.keys(policies);
  const name =
    names.find((one) => one === "palimpsest") ?? names.find((one) => one.startsWith("palimpsest("));
  const own = name === undefined ? undefined : policies[name];
  if (own === undefined) return policies;
  return Object.fromEntries(
    Object.entries(policies).map(([one, figures]) => {
      const factor = (figures.cost - own.cost) / (own.regainCost - figures.regainCost);
      return [one, { ...figures, breakEven: Number.isFinite(factor) && factor >= 0 ? factor : null }];
    }),
  );
}

/** The middle one of the conversations' own: the last quarter of their turns against the first. */
function growthOf(conversations: readonly (readonly number[])[]): number {
  const ratios = conversations.flatMap((turns) => {
    const quarter = Math.floor(turns.length / 4);
    const first = percentile(turns.slice(0, quarter), 0.5);
    return quarter < 5 || first === 0 ? [] : [percentile(turns.slice(-quarter), 0.5) / first];
  });
  return ratios.length === 0 ? 1 : percentile(ratios, 0.5);
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
