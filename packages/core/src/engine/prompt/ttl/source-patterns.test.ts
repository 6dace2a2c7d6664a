import { describe, expect, it } from "vitest";
import { defaultSettings } from "../../settings/settings.js";
import { matchesSource } from "./source-patterns.js";

describe("patterns of sources", () => {
  it.each(["repl_main_thread", "repl_main_thread:outputStyle:custom", "sdk", "agent:", "agent:explore"])(
    "%s may have an hour by default",
    (source) => {
      expect(matchesSource(defaultSettings.cacheTtlSources, source)).toBe(true);
    },
  );

  it.each(["", "session_memory", "sdk2", "my_sdk", "agent", "xagent:explore", "REPL_MAIN_THREAD"])(
    "%j may not",
    (source) => {
      expect(matchesSource(defaultSettings.cacheTtlSources, source)).toBe(false);
    },
  );

  it.each([
    ["*", "", true],
    ["*", "anything", true],
    ["a*b", "ab", true],
    ["a*b", "a-b-b", true],
    ["a*b", "a-b-c", false],
    ["aba*aba", "aba", false],
    ["aba*aba", "abaaba", true],
    ["*mid*", "amidst", true],
    ["a*b*c", "acb", false],
    ["a**c", "abc", true],
    ["a.c", "abc", false],
    ["(a+)+$", "(a+)+$", true],
  ])("%j on %j: %s", (pattern, source, fits) => {
    expect(matchesSource([pattern], source)).toBe(fits);
  });

  // Trying every way in which stars can fit would never end.
  it("no pattern takes long", () => {
    expect(matchesSource([`${"*a".repeat(20_000)}*b`, "*".repeat(100_000)], "a".repeat(10_000))).toBe(true);
    expect(matchesSource([`${"a*".repeat(2000)}b`], `${"a".repeat(50_000)}c`)).toBe(false);
  });
});
