import fc from "fast-check";
import { expect, it } from "vitest";
import { TextPage, type PageLimits } from "./text-page.js";

const limits: PageLimits = {
  first: 1,
  limit: undefined,
  maxLines: 2000,
  maxCharacters: 100_000,
  maxLineCharacters: 2000,
  isNumbered: true,
};

it("the pieces in which a text comes make no difference, and limits hold", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "\n", "\r\n", "\r", "😀", "é"), maxLength: 40 });
  const cuts = fc.array(fc.nat({ max: 60 }), { maxLength: 6 });
  const change = fc.record({
    first: fc.integer({ min: 1, max: 4 }),
    limit: fc.option(fc.nat({ max: 4 }), { nil: undefined }),
    maxLines: fc.nat({ max: 5 }),
    maxCharacters: fc.nat({ max: 40 }),
    maxLineCharacters: fc.nat({ max: 6 }),
    isNumbered: fc.boolean(),
  });
  fc.assert(
    fc.property(text, cuts, change, (text, cuts, change) => {
      const whole = new TextPage(change);
      whole.take(text);
      const expected = whole.finish(false);
      const pieces = new TextPage(change);
      let at = 0;
      for (const cut of [...cuts.toSorted((a, b) => a - b), text.length]) {
        pieces.take(text.slice(at, Math.max(at, cut)));
        at = Math.max(at, cut);
      }
      expect(pieces.finish(false)).toEqual(expected);
      expect(expected.content.length).toBeLessThanOrEqual(change.maxCharacters);
      expect(expected.lines).toBeLessThanOrEqual(change.limit ?? change.maxLines);
    }),
    { numRuns: 3000 },
  );
});

it("shows every line of a text, as splitting it would", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "\n", "\r\n", "😀"), maxLength: 40 });
  fc.assert(
    fc.property(text, (text) => {
      const page = new TextPage(limits);
      page.take(text);
      const lines = text.split(/\r?\n/);
      if (lines.at(-1) === "") lines.pop();
      expect(page.finish(false)).toEqual({
        content: lines.map((line, index) => `${index + 1}\t${line}`).join("\n"),
        lines: lines.length,
        isTruncated: false,
      });
    }),
    { numRuns: 2000 },
  );
});
