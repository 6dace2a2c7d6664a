import type { Verdict } from "../../simulator/outcome.js";
import type { PolicyEdit } from "../policies/policy.js";
import type { PolicyFigures } from "./policy-result.js";

/** Compactions that close to the one before are counted apart. */
const EARLY_TURNS = 3;

/** What is added up while a policy plays. Plain data: tallies of several conversations add up too. */
export interface Tally {
  cost: number;
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
  turns: number;
  sideCalls: number;
  sideCost: number;
  peakTokens: number;
}

export const emptyTally = (): Tally => ({
  cost: 0,
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
  turns: 0,
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

/** `since`: answered turns since the last edit of the kind that summarises or drops; undefined for none. */
export function addEdits(tally: Tally, edits: readonly PolicyEdit[], since: number | undefined): void {
  for (const { tier } of edits) tally.compactions[tier] = (tally.compactions[tier] ?? 0) + 1;
  if (since !== undefined && since < EARLY_TURNS && edits.some(isCompaction)) tally.recompactions += 1;
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
    sum.cpu.push(...tally.cpu);
    sum.peakTokens = Math.max(sum.peakTokens, tally.peakTokens);
  }
  return sum;
}

export function figuresOf(tally: Tally, unlimitedCost: number): PolicyFigures {
  const { cpu, humanMessages, presentMessages, typedWords, presentWords, ...sums } = tally;
  const input = sums.inputTokens + sums.cacheReadTokens + sums.cacheWriteTokens;
  const all = cpu.flat();
  return {
    ...sums,
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
