import { describe, expect, it } from "vitest";
import type { Verdict } from "../../simulator/outcome.js";
import {
  addEdits,
  addTallies,
  addVerdict,
  emptyTally,
  figuresOf,
  isCompaction,
  withBreakEven,
  type Tally,
} from "./tally.js";

const verdict = (more: Partial<Verdict>): Verdict =>
  ({ cost: 0, input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0, ...more }) as Verdict;
const edit = (tier: string) => ({ tier, tokensBefore: 10, tokensAfter: 5 });
const tallyOf = (more: Partial<Tally>): Tally => ({ ...emptyTally(), ...more });

describe("sums", () => {
  it("adds up what each call used", () => {
    const tally = emptyTally();
    addVerdict(tally, verdict({ cost: 1, input: 10, cacheRead: 60, cacheWrite5m: 20, output: 5 }));
    addVerdict(tally, verdict({ cost: 2, cacheRead: 40, cacheWrite5m: 30, cacheWrite1h: 40, output: 5 }));
    expect(figuresOf(tally, 6)).toMatchObject({
      cost: 3,
      costRatio: 0.5,
      inputTokens: 10,
      cacheReadTokens: 100,
      cacheWriteTokens: 90,
      outputTokens: 10,
      cacheHit: 0.5,
    });
  });

  it("has the shares of what was counted", () => {
    const tally = tallyOf({
      references: 8,
      missingReferences: 2,
      humanMessages: 10,
      presentMessages: 9,
      typedWords: 40,
      presentWords: 10,
    });
    expect(figuresOf(tally, 1)).toMatchObject({ recall: 0.75, userWords: 0.9, userWordsUncapped: 0.25 });
  });

  it("is neutral where nothing was counted", () => {
    expect(figuresOf(emptyTally(), 0)).toMatchObject({
      cost: 0,
      costRatio: 1,
      cacheHit: 0,
      recall: 1,
      userWords: 1,
      userWordsUncapped: 1,
      cpuMsP50: 0,
      cpuMsP99: 0,
      cpuGrowth: 1,
    });
  });

  it("adds up conversations: the peak is the highest, the tiers are added by name", () => {
    const sum = addTallies([
      tallyOf({ cost: 1, turns: 3, peakTokens: 500, compactions: { full: 1 }, cpu: [[1, 2]] }),
      tallyOf({ cost: 2, turns: 4, peakTokens: 300, compactions: { full: 2, mask: 1 }, cpu: [[3]] }),
    ]);
    expect(sum).toMatchObject({
      cost: 3,
      turns: 7,
      peakTokens: 500,
      compactions: { full: 3, mask: 1 },
      cpu: [[1, 2], [3]],
    });
    expect(addTallies([])).toEqual(emptyTally());
  });
});

describe("compactions", () => {
  it("are what replaced messages, not what cleared results", () => {
    expect(
      ["full", "notes", "truncate", "mask", "time-based", "api-native"].map((tier) =>
        isCompaction(edit(tier)),
      ),
    ).toEqual([true, true, true, false, false, false]);
  });

  it.each([
    [undefined, "full", 0],
    [0, "full", 1],
    [10, "truncate", 1],
    [11, "full", 0],
    [0, "mask", 0],
  ])("within ten rounds of the one before are counted apart: %s rounds since, %s", (since, tier, count) => {
    const tally = emptyTally();
    addEdits(tally, [edit(tier)], since);
    expect(tally).toMatchObject({ recompactions: count, compactions: { [tier]: 1 } });
  });
});

describe("what forgetting costs", () => {
  const figures = (cost: number, fullCost: number) => figuresOf(tallyOf({ cost, fullCost }), 1);

  it("has the price of regaining once, twice and four times, also before a recorded compaction", () => {
    const { beforeRecordedCompaction: none } = emptyTally();
    const before = { ...none, cost: 2, fullCost: 2.5 };
    const all = figuresOf(tallyOf({ cost: 10, fullCost: 13, beforeRecordedCompaction: before }), 1);
    expect(all).toMatchObject({ regainCost: 3, costAt: { 1: 13, 2: 16, 4: 22 } });
    expect(all.beforeRecordedCompaction).toMatchObject({ regainCost: 0.5, costAt: { 1: 2.5, 2: 3, 4: 4 } });
  });

  it("adds up over conversations, before recorded compactions too", () => {
    const { beforeRecordedCompaction: none } = emptyTally();
    const sum = addTallies([
      tallyOf({ edits: 3, blindEdits: 1, beforeRecordedCompaction: { ...none, edits: 2 } }),
      tallyOf({ edits: 4, lost: 2, beforeRecordedCompaction: { ...none, edits: 1, lost: 2 } }),
    ]);
    expect(sum).toMatchObject({ edits: 7, blindEdits: 1, lost: 2 });
    expect(sum.beforeRecordedCompaction).toMatchObject({ edits: 3, lost: 2 });
  });

  it("breaks even where both cost the same", () => {
    const policies = withBreakEven({
      palimpsest: figures(10, 14),
      dearer: figures(13, 14),
      "dearer, and it forgets more": figures(13, 20),
      cheaper: figures(9, 15),
      same: figures(12, 16),
    });
    expect(Object.entries(policies).map(([name, { breakEven }]) => [name, breakEven])).toEqual([
      ["palimpsest", null],
      ["dearer", 1],
      ["dearer, and it forgets more", null],
      ["cheaper", 0.5],
      ["same", null],
    ]);
    expect(withBreakEven({ mask: figures(1, 2) })["mask"]?.breakEven).toBeNull();
    expect(
      withBreakEven({ "palimpsest(x=1)": figures(10, 14), mask: figures(13, 14) })["mask"]?.breakEven,
    ).toBe(1);
  });
});

describe("time", () => {
  it("has the middle and the slowest hundredth of all turns", () => {
    const turns = Array.from({ length: 200 }, (_, at) => at + 1);
    expect(figuresOf(tallyOf({ cpu: [turns.toReversed()] }), 1)).toMatchObject({
      cpuMsP50: 101,
      cpuMsP99: 199,
    });
    expect(figuresOf(tallyOf({ cpu: [[7]] }), 1)).toMatchObject({ cpuMsP50: 7, cpuMsP99: 7 });
  });

  it("says how the turns of a conversation grow, and of several the middle one", () => {
    const growing = (last: number): number[] => [
      ...Array<number>(15).fill(1),
      ...Array<number>(5).fill(last),
    ];
    const growth = (...cpu: number[][]): number => figuresOf(tallyOf({ cpu }), 1).cpuGrowth;
    expect(growth(growing(1))).toBe(1);
    expect(growth(growing(4))).toBe(4);
    expect(growth(growing(2), growing(9), growing(3))).toBe(3);
    expect(growth([1, 50])).toBe(1);
    expect(growth(Array<number>(40).fill(0))).toBe(1);
  });
});
