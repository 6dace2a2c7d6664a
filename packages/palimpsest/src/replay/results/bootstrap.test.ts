import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bootstrapInterval, bootstrapIntervals, quantile } from "./bootstrap.js";

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]): number => sum(values) / values.length;

describe("bootstrap", () => {
  it("is deterministic, and another seed draws otherwise", () => {
    const values = [3, 5, 8, 13, 21, 34];
    expect(bootstrapInterval(values, sum)).toEqual(bootstrapInterval(values, sum));
    expect(bootstrapInterval(values, sum, { seed: 2 })).not.toEqual(bootstrapInterval(values, sum));
  });

  it("says nothing of one cluster, and no width where all are the same", () => {
    expect(bootstrapInterval([7], sum)).toBeNull();
    expect(bootstrapInterval([], sum)).toBeNull();
    expect(bootstrapInterval([4, 4, 4], sum)).toEqual([12, 12]);
  });

  it("finds what is known: two clusters of 0 and 1 are drawn as 0, 1, 1, 2", () => {
    // A sum of 0 and one of 2 have a quarter each: 95% hold both, half holds neither in its inside.
    expect(bootstrapInterval([0, 1], sum)).toEqual([0, 2]);
    const counts = [0, 0, 0];
    bootstrapInterval([0, 1], (drawn) => {
      const total = sum(drawn);
      counts[total] = (counts[total] ?? 0) + 1;
      return total;
    });
    expect(counts.map((count) => Math.round(count / 100))).toEqual([5, 10, 5]);
  });

  it("finds what is known: the mean of 100 values is off by a tenth of their deviation", () => {
    // 0 … 99: deviation 28.87, so the mean of 100 is off by 2.887, and 1.96 times that is 5.66.
    const [low = 0, high = 0] =
      bootstrapInterval(
        Array.from({ length: 100 }, (_, at) => at),
        mean,
      ) ?? [];
    expect(low).toBeGreaterThan(49.5 - 5.66 * 1.1);
    expect(low).toBeLessThan(49.5 - 5.66 * 0.9);
    expect(high).toBeGreaterThan(49.5 + 5.66 * 0.9);
    expect(high).toBeLessThan(49.5 + 5.66 * 1.1);
  });

  it("gives several figures of the same draws", () => {
    const both = bootstrapIntervals([1, 2, 3, 4], (drawn) => [sum(drawn), 2 * sum(drawn)]);
    expect(both?.[1]).toEqual(both?.[0]?.map((value) => value * 2));
  });

  it("lies within what can be drawn, and a higher level is no narrower", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -100, max: 100 }), { minLength: 2, maxLength: 9 }), (values) => {
        const [low = 0, high = 0] = bootstrapInterval(values, mean, { resamples: 200 }) ?? [];
        expect(low).toBeLessThanOrEqual(high);
        expect(low).toBeGreaterThanOrEqual(Math.min(...values));
        expect(high).toBeLessThanOrEqual(Math.max(...values));
        const [wideLow = 0, wideHigh = 0] =
          bootstrapInterval(values, mean, { resamples: 200, level: 0.99 }) ?? [];
        expect(wideLow).toBeLessThanOrEqual(low);
        expect(wideHigh).toBeGreaterThanOrEqual(high);
      }),
      { numRuns: 50 },
    );
  });
});

it("quantiles lie between the values", () => {
  expect(quantile([1, 2, 3, 4, 5], 0.5)).toBe(3);
  expect(quantile([0, 10], 0.25)).toBe(2.5);
  expect(quantile([], 0.5)).toBe(0);
});
