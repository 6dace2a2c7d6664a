import { describe, expect, it } from "vitest";
import { findModel } from "../../models/table.js";
import { pricesAt, weighChange } from "./cost-rule.js";

const prices = { input: 5, output: 25, cacheRead: 0.5, cacheWrite5m: 6.25, cacheWrite1h: 10 };
const warm = { state: "warm", ttl: "5m" } as const;
const change = { cleared: 40_000, suffix: 100_000, expectedRoundsLeft: 20 };

describe("the cost of a change in the middle of the prefix", () => {
  it("reports both sides", () => {
    const verdict = weighChange(change, { prices, cache: warm });
    expect(verdict.saved).toBeCloseTo(0.04 * 0.5 * 20);
    expect(verdict.spent).toBeCloseTo(0.1 * 5.75);
    expect(verdict.pays).toBe(false);
    expect(verdict.cacheTokensLost).toBe(140_000);
  });

  it("pays with more turns ahead", () => {
    expect(weighChange({ ...change, expectedRoundsLeft: 29 }, { prices, cache: warm }).pays).toBe(true);
    expect(weighChange({ ...change, expectedRoundsLeft: 28 }, { prices, cache: warm }).pays).toBe(false);
  });

  it("an hour's entries cost more to write", () => {
    const long = weighChange(change, { prices, cache: { state: "warm", ttl: "1h" } });
    expect(long.spent).toBeCloseTo(0.1 * 9.5);
  });

  it("costs nothing with a cold cache, or without one", () => {
    for (const state of ["cold", "off"] as const) {
      const verdict = weighChange(change, { prices, cache: { state, ttl: "5m" } });
      expect(verdict).toMatchObject({ pays: true, spent: 0, cacheTokensLost: 0 });
    }
  });

  it("a change that moves costs each turn, after a cold start too", () => {
    const moving = { ...change, suffixEachRound: 30_000 };
    expect(weighChange(moving, { prices, cache: { state: "cold", ttl: "5m" } }).spent).toBeCloseTo(
      0.03 * 19 * 5.75,
    );
  });

  it("thinking that is lost has its price", () => {
    const verdict = weighChange({ ...change, thinkingLost: 10_000 }, { prices, cache: warm });
    expect(verdict.spent).toBeCloseTo(0.1 * 5.75 + 0.01 * 25);
  });

  it("nothing cleared never pays", () => {
    expect(weighChange({ cleared: 0, suffix: 0, expectedRoundsLeft: 20 }, { prices, cache: warm }).pays).toBe(
      false,
    );
  });

  it("knows dearer prices of long prompts", () => {
    const haiku = findModel("claude-haiku-5-5");
    if (haiku === undefined) throw new Error("no such model");
    expect(pricesAt(haiku, 100_000).input).toBe(0.1);
    expect(pricesAt(haiku, 100_001).input).toBe(0.5);
  });
});
