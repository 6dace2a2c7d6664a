import { expect, it } from "vitest";
import { matchesPattern } from "./matches-pattern.js";

it.each([
  ["claude-haiku-4-5", "*haiku*", true],
  ["us.anthropic.claude-haiku-4-5", "claude-haiku*", false],
  ["claude-opus-5", "*haiku*", false],
  ["claude-opus-5", "claude-opus-5", true],
  ["claude-opus-5", "claude-*-5", true],
  ["claude-5", "claude-*-5", false],
  ["abab", "a*b*a*b", true],
  ["ab", "*a*b*a*", false],
  ["", "*", true],
  ["a", "", false],
])("%s fits %s: %s", (name, pattern, expected) => {
  expect(matchesPattern(name, pattern)).toBe(expected);
});

it("takes its time in proportion, whatever the pattern", () => {
  expect(matchesPattern("a".repeat(10_000), `${"*a".repeat(2000)}*b`)).toBe(false);
});
