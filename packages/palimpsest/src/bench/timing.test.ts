import { describe, expect, it } from "vitest";
import { compareSizes, median, percentile, spreadOf } from "./timing.js";

describe("percentile", () => {
  it("is a value that was measured, whatever their order", () => {
    expect(percentile([3, 1, 2], 0)).toBe(1);
    expect(median([3, 1, 2])).toBe(2);
    expect(median([5])).toBe(5);
    expect(percentile([1, 2], 1)).toBe(2);
    expect(spreadOf(Array.from({ length: 100 }, (_, index) => index))).toEqual({ median: 50, p99: 99 });
    expect(() => median([])).toThrow("nothing was measured");
  });
});

describe("compareSizes", () => {
  it("measures sizes in turn and gives the middle run of each", async () => {
    const order: number[] = [];
    const at = await compareSizes({
      sizes: [10, 100],
      runs: 3,
      measure(size) {
        order.push(size);
        return { median: size + order.length, p99: size * order.length };
      },
    });
    expect(order).toEqual([10, 100, 10, 100, 10, 100]);
    expect(at).toEqual({ 10: { median: 13, p99: 30 }, 100: { median: 104, p99: 400 } });
  });
});
