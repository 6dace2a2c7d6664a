import { expect, it } from "vitest";
import { createUsageTally } from "./usage-tally.js";

const usage = (more: object = {}) => ({
  input_tokens: 1_000_000,
  output_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  ...more,
});

it("adds up tokens and dollars, by each model's own prices", () => {
  const tally = createUsageTally();
  tally.add("claude-haiku-4-5", usage());
  const { cost } = tally.totals();
  expect(cost).toBeGreaterThan(0);
  tally.add("claude-haiku-4-5", usage());
  expect(tally.totals()).toMatchObject({ calls: 2, inputTokens: 2_000_000, unpricedCalls: 0 });
  expect(tally.totals().cost).toBeCloseTo(2 * cost);
});

it("knows that reading from the cache costs less, and writing more", () => {
  const costOf = (more: object): number => {
    const tally = createUsageTally();
    tally.add("claude-haiku-4-5", usage({ input_tokens: 0, ...more }));
    return tally.totals().cost;
  };
  const plain = costOf({ input_tokens: 100_000 });
  const five = { ephemeral_5m_input_tokens: 100_000, ephemeral_1h_input_tokens: 0 };
  const hour = { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 100_000 };
  expect(costOf({ cache_read_input_tokens: 100_000 })).toBeLessThan(plain);
  expect(costOf({ cache_creation_input_tokens: 100_000, cache_creation: five })).toBeCloseTo(plain * 1.25);
  expect(costOf({ cache_creation_input_tokens: 100_000, cache_creation: hour })).toBeCloseTo(plain * 2);
});

it("says how many calls have no known price", () => {
  const tally = createUsageTally();
  tally.add("somebody-else-1", usage({ output_tokens: 5 }));
  expect(tally.totals()).toMatchObject({ cost: 0, unpricedCalls: 1, calls: 1, outputTokens: 5 });
});
