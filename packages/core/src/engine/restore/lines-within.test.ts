import { expect, test } from "vitest";
import { createDefaultEstimator } from "../measure/default-estimator.js";
import { linesWithin } from "./lines-within.js";

const estimator = createDefaultEstimator({ model: "claude-opus-4-6" });
const lines = Array.from({ length: 500 }, (_, at) => `  const value${at} = read("${"x".repeat(at % 40)}");`);
const text = lines.join("\n");
const ends = lines.map((_, at) => lines.slice(0, at + 1).join("\n").length);

test("the lines come to the limit within a line or two", () => {
  const limit = 3000;
  const count = linesWithin(text, ends, { estimator, limit });
  const tokensOf = (shown: number): number => estimator.block(lines.slice(0, shown).join("\n"));
  expect(tokensOf(count - 2)).toBeLessThan(limit);
  expect(tokensOf(count + 2)).toBeGreaterThan(limit);
});

test("all of them fit, or none", () => {
  expect(linesWithin(text, ends, { estimator, limit: 1_000_000 })).toBe(lines.length);
  expect(linesWithin(text, ends, { estimator, limit: 0 })).toBe(0);
  expect(linesWithin("", [], { estimator, limit: 10 })).toBe(0);
});
