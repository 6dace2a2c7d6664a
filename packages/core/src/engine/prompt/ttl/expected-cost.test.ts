import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { models } from "../../../models/table.js";
import { expectedCost, relativePrices, requestCost, switchCost } from "./expected-cost.js";
import { addRequest, noEvidence } from "./gap-evidence.js";
import { MINUTE, toConversation } from "./testing/spaced-requests.js";

const numbers = fc.tuple(fc.nat(), fc.nat({ max: 500_000 }), fc.nat({ max: 60_000 }));
const conversation = fc.array(numbers, { maxLength: 60 }).map(toConversation);
const prices = fc.constantFrom(relativePrices, ...models.map((model) => model.prices));

describe("what requests cost", () => {
  it("is that of a cache that is kept by hand, entry by entry", () => {
    fc.assert(
      fc.property(
        conversation,
        prices,
        fc.constantFrom("5m" as const, "1h" as const),
        (requests, prices, ttl) => {
          const multiplier = ttl === "5m" ? 1.25 : 2;
          let now = 1_000_000_000;
          let entryDiesAt = Number.NEGATIVE_INFINITY;
          let dollars = 0;
          for (const { gap = 0, prefixTokens, newTokens } of requests) {
            now += gap;
            const found = now < entryDiesAt;
            if (found) dollars += (prefixTokens / 1e6) * prices.cacheRead;
            const written = found ? newTokens : prefixTokens + newTokens;
            dollars += (written / 1e6) * prices.input * multiplier;
            entryDiesAt = now + (ttl === "5m" ? 5 : 60) * MINUTE;
          }
          const evidence = requests.reduce(addRequest, noEvidence);
          const tolerance = 1e-9 * Math.max(1, dollars);
          expect(Math.abs(expectedCost(evidence, { ttl, prices }) - dollars)).toBeLessThan(tolerance);
          const one = requests.reduce((sum, request) => sum + requestCost(request, { ttl, prices }), 0);
          expect(Math.abs(one - dollars)).toBeLessThan(tolerance);
          const twice = expectedCost(evidence, { ttl, prices, requests: requests.length * 2 });
          expect(Math.abs(twice - 2 * dollars)).toBeLessThan(2 * tolerance);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it("is nothing for nothing", () => {
    expect(expectedCost(noEvidence, { ttl: "1h", prices: relativePrices, requests: 100 })).toBe(0);
  });

  it("of another lifetime: what stands before the messages is written instead of read", () => {
    expect(switchCost(1_000_000, { ttl: "1h", prices: relativePrices })).toBeCloseTo(1.9);
    expect(switchCost(1_000_000, { ttl: "5m", prices: relativePrices })).toBeCloseTo(1.15);
  });
});
