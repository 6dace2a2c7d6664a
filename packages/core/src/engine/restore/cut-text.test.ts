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
});
