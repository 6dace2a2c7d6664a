import { describe, expect, it } from "vitest";
import { expectedCost, relativePrices as prices } from "./expected-cost.js";
import { addRequest, gapsLongerThan, noEvidence, requestsSeen, type GapEvidence } from "./gap-evidence.js";
import { attendedPrior, unattendedPrior, withPrior } from "./gap-prior.js";
import { MINUTE } from "./testing/spaced-requests.js";

const gainOfAnHour = (evidence: GapEvidence): number =>
  expectedCost(evidence, { ttl: "5m", prices }) - expectedCost(evidence, { ttl: "1h", prices });

describe("what is assumed of gaps", () => {
  it("is one conversation of the recorded length", () => {
    expect(attendedPrior.conversations).toBe(1);
    expect(requestsSeen(attendedPrior)).toBeCloseTo(170.6, -0.5);
  });

  it("is that people pause and that programs do not", () => {
    expect(withPrior("repl_main_thread:x", noEvidence)).toEqual(attendedPrior);
    expect(withPrior("compact", noEvidence)).toEqual(attendedPrior);
    expect(withPrior("agent:x", noEvidence)).toEqual(unattendedPrior);
    expect(gainOfAnHour(attendedPrior)).toBeGreaterThan(0);
    expect(gainOfAnHour(unattendedPrior)).toBeLessThan(0);
    expect(gapsLongerThan(unattendedPrior, 5 * MINUTE)).toBe(unattendedPrior.conversations);
  });

  it("is assumed of prompts as long as the user's own: many short conversations count", () => {
    const short = [
      { prefixTokens: 0, newTokens: 12_000 },
      ...Array.from({ length: 19 }, () => ({ gap: 9000, prefixTokens: 12_000, newTokens: 300 })),
    ];
    const seen = (conversations: number) =>
      Array.from({ length: conversations }, () => short)
        .flat()
        .reduce(addRequest, noEvidence);
    expect(gainOfAnHour(withPrior("repl_main_thread", seen(1)))).toBeGreaterThan(0);
    expect(gainOfAnHour(withPrior("repl_main_thread", seen(12)))).toBeLessThan(0);
  });
});
