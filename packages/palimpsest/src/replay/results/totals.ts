import { bootstrapIntervals, type Interval } from "./bootstrap.js";
import type { PolicyFigures, PolicyTotal, ReplayReport } from "./policy-result.js";
import { addTallies, figuresOf, withBreakEven, type Tally } from "./tally.js";

const shareOf = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

/** The figures that totals have intervals of. */
const WITH_INTERVALS: Readonly<Record<string, (figures: PolicyFigures) => number>> = {
  fullCost: ({ fullCost }) => fullCost,
  blindEditShare: ({ blindEdits, edits }) => shareOf(blindEdits, edits),
  blindTurnShare: ({ blindTurns, turns }) => shareOf(blindTurns, turns),
  cost: ({ cost }) => cost,
  costRatio: ({ costRatio }) => costRatio,
  recall: ({ recall }) => recall,
  userWords: ({ userWords }) => userWords,
};

/** A conversation that was played. */
export interface PlayedConversation {
  readonly result: { readonly repository: string; readonly rounds: number; readonly unlimitedCost: number };
  readonly tallies: Readonly<Record<string, Tally>>;
}

/** One policy on all conversations about one repository. */
interface Cluster {
  readonly tally: Tally;
  readonly unlimitedCost: number;
}

/** The figures of all conversations together, with intervals drawn by repository. */
export function totalsOf(
  played: readonly PlayedConversation[],
): Pick<ReplayReport["total"], "rounds" | "unlimitedCost" | "repositories" | "policies"> {
  const names = new Set(played.flatMap(({ tallies }) => Object.keys(tallies)));
  return {
    rounds: sum(played, ({ result }) => result.rounds),
    unlimitedCost: sum(played, ({ result }) => result.unlimitedCost),
    repositories: new Set(played.map(({ result }) => result.repository)).size,
    policies: withBreakEven(Object.fromEntries([...names].map((name) => [name, totalOf(played, name)]))),
  };
}

function totalOf(played: readonly PlayedConversation[], policy: string): PolicyTotal {
  const own = played.flatMap(({ result, tallies }) => {
    const tally = tallies[policy];
    return tally === undefined ? [] : [{ ...result, tally }];
  });
  const byRepository = new Map<string, typeof own>();
  for (const one of own) {
    byRepository.set(one.repository, [...(byRepository.get(one.repository) ?? []), one]);
  }
  const clusters = [...byRepository.values()].map(clusterOf);
  return {
    ...figuresOf(
      addTallies(own.map(({ tally }) => tally)),
      sum(own, ({ unlimitedCost }) => unlimitedCost),
    ),
    conversations: own.length,
    intervals: intervalsOf(clusters),
  };
}

const clusterOf = (conversations: readonly Cluster[]): Cluster => ({
  // Times are no matter of chance in what was recorded.
  tally: { ...addTallies(conversations.map(({ tally }) => tally)), cpu: [] },
  unlimitedCost: sum(conversations, ({ unlimitedCost }) => unlimitedCost),
});

function intervalsOf(clusters: readonly Cluster[]): Readonly<Record<string, Interval>> | null {
  const intervals = bootstrapIntervals(clusters, (drawn) => {
    const { tally, unlimitedCost } = clusterOf(drawn);
    const figures = figuresOf(tally, unlimitedCost);
    return Object.values(WITH_INTERVALS).map((of) => of(figures));
  });
  if (intervals === null) return null;
  return Object.fromEntries(Object.keys(WITH_INTERVALS).map((name, at) => [name, intervals[at] ?? [0, 0]]));
}

const sum = <T>(list: readonly T[], pick: (one: T) => number): number =>
  list.reduce((total, one) => total + pick(one), 0);
