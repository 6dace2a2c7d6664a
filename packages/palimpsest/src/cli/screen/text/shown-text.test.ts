import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { harmlessLine, shownLine, shownText } from "./shown-text.js";
import { cutPieces, widthOf } from "./width.js";

describe("texts as a terminal may show them", () => {
  it.each([
    ["\u001b]0;t\u0007", "\\u001b]0;t\\u0007"],
    ["\u009b2J", "\\u009b2J"],
    ["a\ud83db", "a\ufffdb"],
    ["a\r\nb", "a\nb"],
    ["a\rb", "a\\u000db"],
    ["\u202eabc", "\\u202eabc"],
    ["\u{e0041}", "\\u{e0041}"],
    [`a${"\u0301".repeat(10)}`, `a${"\u0301".repeat(4)}(+6 marks)`],
    ["👩‍💻 👍🏽 ❤️", "👩💻 👍 ❤"],
    ["क्षि", "क्षि"],
  ])("%j", (text, shown) => {
    expect(shownText(text)).toBe(shown);
  });

  it("hold no control character but ends of lines, whatever they were", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 60 }), (units) => {
        const text = String.fromCharCode(...units);
        // oxlint-disable-next-line no-control-regex -- control characters are what this is about
        expect(shownText(text)).not.toMatch(
          /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u202e]|\p{Surrogate}/u,
        );
        expect(shownLine(text)).not.toContain("\n");
      }),
    );
  });

  it("of a line that is written only styles are left as they are", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom(
            "\u001b[1m",
            "\u001b[0m",
            "\u001b[2J",
            "\u001b",
            "[31m",
            "a",
            "\u009b",
            "\n",
            "\u0007",
          ),
        ),
        (parts) => {
          const made = harmlessLine(parts.join(""));
          // oxlint-disable-next-line no-control-regex -- control characters are what this is about
          expect(made.replaceAll(/\u001b\[[\d;]*m/g, "")).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
        },
      ),
    );
  });

  it("cut into pieces fit, lose nothing, and never change but for the last", () => {
    const texts = fc.array(fc.constantFrom("a", "word", " ", "日本語", "\n", "👍", "longer-than-that"), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(texts, fc.integer({ min: 2, max: 20 }), fc.string(), (parts, width, more) => {
        const text = parts.join("");
        const pieces = cutPieces(text, width);
        for (const { line } of pieces) expect(widthOf(line)).toBeLessThanOrEqual(width);
        expect(
          pieces
            .map(({ line }) => line)
            .join("")
            .replaceAll(/\s/g, ""),
        ).toBe(text.replaceAll(/\s/g, ""));
        const after = cutPieces(text + shownText(more).replaceAll(/\p{M}/gu, ""), width);
        expect(after.slice(0, pieces.length - 1)).toEqual(pieces.slice(0, -1));
      }),
      { numRuns: 2000 },
    );
  });
});
