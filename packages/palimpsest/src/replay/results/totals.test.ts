import { describe, expect, it } from "vitest";
import { emptyTally, type Tally } from "./tally.js";
import { totalsOf, type PlayedConversation } from "./totals.js";

const played = (repository: string, cost: number, more: Partial<Tally> = {}): PlayedConversation => ({
  result: { repository, rounds: 10, unlimitedCost: 10 },
  tallies: { none: { ...emptyTally(), cost, references: 100, missingReferences: cost, turns: 10, ...more } },
});

describe("totals", () => {
  it("say of how many conversations and repositories they are, and where they may lie", () => {
    const list = [played("a", 4), played("a", 6), played("b", 2), played("c", 12), played("d", 6)];
    const { policies, repositories, rounds, unlimitedCost } = totalsOf(list);
    expect({ repositories, rounds, unlimitedCost }).toEqual({
      repositories: 4,
      rounds: 50,
      unlimitedCost: 50,
    });
    const { none } = policies;
    expect(none).toMatchObject({ conversations: 5, cost: 30, costRatio: 0.6 });
    const [low = 0, high = 0] = none?.intervals?.["costRatio"] ?? [];
    expect(low).toBeGreaterThanOrEqual(0.2);
    expect(low).toBeLessThan(0.6);
    expect(high).toBeGreaterThan(0.6);
    expect(high).toBeLessThanOrEqual(1.2);
    expect(none?.intervals?.["recall"]?.[0]).toBeLessThan(none?.recall ?? 0);
    expect(totalsOf(list)).toEqual(totalsOf(list));
  });

  it("draw repositories, not conversations: those of one stay together", () => {
    const apart = totalsOf([1, 9, 1, 9, 1, 9].map((cost, at) => played(`r${at}`, cost)));
    const together = totalsOf([1, 9, 1, 9, 1, 9].map((cost, at) => played(`r${Math.floor(at / 2)}`, cost)));
    const width = ({ policies }: ReturnType<typeof totalsOf>): number => {
      const [low = 0, high = 0] = policies["none"]?.intervals?.["cost"] ?? [];
      return high - low;
    };
    // Each repository holds a cheap one and a dear one: whichever are drawn, the sum is the same.
    expect(width(together)).toBe(0);
    expect(width(apart)).toBeGreaterThan(5);
  });

  it("have no intervals where all are about one repository, and none of nothing", () => {
    expect(totalsOf([played("a", 1), played("a", 2)]).policies["none"]?.intervals).toBeNull();
    expect(totalsOf([])).toEqual({ rounds: 0, unlimitedCost: 0, repositories: 0, policies: {} });
  });

  it("count a policy where it was played", () => {
    const { policies } = totalsOf([played("a", 1), { ...played("b", 2), tallies: { other: emptyTally() } }]);
    expect(policies["none"]).toMatchObject({ conversations: 1, cost: 1, costRatio: 0.1 });
  });
});
