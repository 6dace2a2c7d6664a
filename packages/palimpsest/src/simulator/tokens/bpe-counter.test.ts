import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { createBpeCounter, cutRuns } from "./bpe-counter.js";

const longRun = /([^\s]{400,}|\s{400,})/;

it("cuts long runs and nothing else", () => {
  const blank = fc.constantFrom(" ", "\n", "\t", "\u00a0", "\u2003", "\ufeff", "\v");
  const letter = fc.constantFrom("a", "0", "=", "ä", "漢", "😀", "\u001b", "\u200b", "\u0085");
  const run = fc.tuple(fc.oneof(blank, letter), fc.integer({ min: 1, max: 900 }));
  fc.assert(
    fc.property(fc.array(run, { maxLength: 8 }), (runs) => {
      const text = runs.map(([character, length]) => character.repeat(length)).join("");
      const expected = text
        .split(longRun)
        .flatMap((part, index) => (index % 2 === 0 ? [part] : (part.match(/[^]{1,400}/g) ?? [])))
        .filter((part) => part !== "");
      expect([...cutRuns(text)]).toEqual(expected);
    }),
  );
});

it("counts ten million characters without a blank, of any kind", () => {
  const counter = createBpeCounter();
  for (const character of ["a", "\u001b["]) {
    const tokens = counter.count(character.repeat(10_000_000 / character.length));
    expect(tokens).toBeGreaterThan(100_000);
  }
});

it("looks at each character once, also where runs are just not long", () => {
  const text = `${"a".repeat(399)} `.repeat(25_000);
  expect([...cutRuns(text)]).toEqual([text]);
});

it("never looks for the oldest of what it remembers, however many new words there are", () => {
  const counter = createBpeCounter();
  const lookups = vi.spyOn(Map.prototype, "keys");
  try {
    const letters = Array.from("bcdfghjklmnpqrstvwxz");
    for (const a of letters) {
      for (const b of letters) {
        const words = letters.flatMap((c) => letters.map((d) => `${a}q${b}x${c}q${d}`));
        expect(counter.count(words.join(" "))).toBeGreaterThan(words.length);
      }
    }
    expect(lookups.mock.calls.length).toBe(0);
  } finally {
    lookups.mockRestore();
  }
});
