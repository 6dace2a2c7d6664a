import fc from "fast-check";
import { expect, it } from "vitest";
import { createBpeCounter, hasLongRun } from "./bpe-counter.js";

it("sees a run of 400 characters of a kind wherever it stands", () => {
  const piece = fc.tuple(
    fc.constantFrom("a", " ", "\n", "\u3000", "é", "x y", "\u0085"),
    fc.constantFrom(1, 3, 133, 199, 200, 399, 400, 401),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.map(([unit, times]) => unit.repeat(times)).join("");
      expect(hasLongRun(text)).toBe(/\S{400,}|\s{400,}/.test(text));
    }),
    { numRuns: 1000 },
  );
});

it("counts a run without end in pieces", () => {
  const counter = createBpeCounter();
  expect(counter.count("ab".repeat(50_000))).toBe(250 * counter.count("ab".repeat(200)));
});
