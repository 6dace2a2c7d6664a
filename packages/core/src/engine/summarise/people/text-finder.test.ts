import { expect, it } from "vitest";
import { createTextFinder } from "./text-finder.js";

it("finds words however blanks and lines are set", () => {
  const isThere = createTextFinder('- "fix the\n   tests   please"\n- yes\n- see yesterday');
  expect(isThere("fix the tests\n\nplease")).toBe(true);
  expect(isThere("yes")).toBe(true);
  expect(isThere("fix the tests, please")).toBe(false);
  expect(isThere("  ")).toBe(true);
});

it("a short word counts only as a word of its own, in any order", () => {
  const isThere = createTextFinder("see yesterday, option c, über and b");
  expect(["yes", "day", "ber"].map((word) => isThere(word))).toEqual([false, false, false]);
  expect(["b", "c", "über", "yesterday,"].map((word) => isThere(word))).toEqual([true, true, true, true]);
});
