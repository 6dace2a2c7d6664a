import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutText } from "./cut-text.js";

const within = (limit: number) => ({
  fits: (text: string) => text.length <= limit,
  marker: (lines: number) => `[${lines}]`,
});

describe("cutting a text", () => {
  it.each([
    ["a\nb\nc", 5, { text: "a\nb\nc", head: "a\nb\nc", lines: 3, isCut: false }],
    ["aa\nbb\ncc", 7, { text: "aa\n[1]", head: "aa", lines: 1, isCut: true }],
    ["abcdefghij\nk", 8, { text: "abcd\n[0]", head: "abcd", lines: 0, isCut: true }],
    ["abcdefghij", 3, { text: "[0]", head: "", lines: 0, isCut: true }],
    ["abcdefghij", 2, undefined],
    ["", 0, { text: "", head: "", lines: 0, isCut: false }],
  ])("%j to %i", (text, limit, expected) => {
    expect(cutText(text, within(limit))).toEqual(expected);
  });

  it("sets the marker behind a text that is itself a part", () => {
    expect(cutText("a\nb", { ...within(10), isPart: true })).toMatchObject({ text: "a\nb\n[2]", lines: 2 });
  });

  it("fits, is a head, ends whole lines where it can, and never holds half a character", () => {
    const line = fc.string({ unit: fc.constantFrom("a", "b", "`", "😀"), maxLength: 12 });
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), fc.nat({ max: 60 }), (lines, limit) => {
        const text = lines.join("\n");
        const cut = cutText(text, within(limit));
        if (cut === undefined) {
          expect(limit).toBeLessThan(3);
          return;
        }
        expect(cut.text.length).toBeLessThanOrEqual(limit);
        expect(cut.isCut).toBe(text.length > limit);
        expect(cut.text.isWellFormed()).toBe(true);
        if (cut.lines > 0) expect(cut.head).toBe(lines.slice(0, cut.lines).join("\n"));
        else expect(text.startsWith(cut.head)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it("with a guess, however bad, the result is the one without", () => {
    const line = fc.string({ unit: fc.constantFrom("a", "`", "😀"), maxLength: 6 });
    const guesses = fc.oneof(
      fc.integer({ min: -5, max: 100 }),
      fc.double(),
      fc.constantFrom(0, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e300),
    );
    fc.assert(
      fc.property(
        fc.record({
          lines: fc.array(line, { maxLength: 40 }),
          limit: fc.nat({ max: 200 }),
          guess: guesses,
          isPart: fc.boolean(),
        }),
        ({ lines, limit, guess, isPart }) => {
          const text = lines.join("\n");
          const options = { ...within(limit), isPart };
          expect(cutText(text, { ...options, guess: () => guess })).toEqual(cutText(text, options));
        },
      ),
      { numRuns: 3000 },
    );
  });

  it("a good guess saves looking, a bad one costs little; it is told where the lines end", () => {
    const text = "abc\n".repeat(100_000);
    const looks = (guess: number | undefined): number => {
      let count = 0;
      const fits = (content: string): boolean => {
        count += 1;
        return content.length <= 40_000;
      };
      const ends: (readonly number[])[] = [];
      const cut = cutText(text, {
        fits,
        marker: () => "[cut]",
        ...(guess === undefined ? {} : { guess: (_, lineEnds) => (ends.push(lineEnds), guess) }),
      });
      expect(cut?.lines).toBe(9998);
      if (guess !== undefined) expect(ends[0]?.slice(0, 3)).toEqual([3, 7, 11]);
      return count;
    };
    expect(looks(9998)).toBeLessThanOrEqual(4);
    expect(looks(9990)).toBeLessThanOrEqual(10);
    expect(looks(100_000)).toBeLessThanOrEqual(40);
    expect(looks(1)).toBeLessThanOrEqual(40);
    expect(looks(undefined)).toBeLessThanOrEqual(40);
  });
});
