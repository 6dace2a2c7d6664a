import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkProperty } from "../../testing/check-property.js";
import { findBytes, needlesOf } from "./byte-needle.js";
import { escapedLetters } from "./escaped-letters.js";

describe("findBytes", () => {
  it("finds what a search in the folded text finds, at the same place", () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "b", "A", "B", "ж", "Ж"), maxLength: 30 });
    const word = fc.string({ unit: fc.constantFrom("a", "b", "ж"), minLength: 1, maxLength: 4 });
    checkProperty("findBytes", fc.tuple(letters, word), ([text, sought]) => {
      const [needle] = needlesOf(sought);
      if (needle === undefined) throw new Error("no needle");
      const bytes = Buffer.from(text);
      const at = text.toLowerCase().indexOf(sought);
      const expected = at < 0 ? -1 : Buffer.byteLength(text.slice(0, at));
      expect(findBytes(bytes, needle, { from: 0, to: bytes.length })).toBe(expected);
    });
  });

  it("stays within its range", () => {
    const [needle] = needlesOf("needle");
    if (needle === undefined) throw new Error("no needle");
    const bytes = Buffer.from("needle needle");
    expect(findBytes(bytes, needle, { from: 1, to: 13 })).toBe(7);
    expect(findBytes(bytes, needle, { from: 1, to: 12 })).toBe(-1);
    expect(findBytes(bytes, needle, { from: 13, to: 13 })).toBe(-1);
  });
});

describe("needlesOf", () => {
  it("leaves out what may be written in another way, and begins with the longest piece", () => {
    const texts = needlesOf('src/agent/"loop.ts"').map(({ text }) => text);
    expect(texts).toEqual(["loop.ts", "agent", "src"]);
    expect(needlesOf("\\/")).toEqual([]);
  });
});

describe("escapedLetters", () => {
  it("finds every escape that a plain search finds, but those of control characters", () => {
    const piece = fc.constantFrom("\\u", "\\u00e9", "\\u001b", "\\n", "u", "00", "e", "9", "x", "\\", "12");
    checkProperty("escapedLetters", fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join("");
      const found = [...text.matchAll(/\\u(?!00[01])[0-9a-f]{4}/g)].map((match) => match.index);
      for (const at of found) expect(escapedLetters(Buffer.from(text))).toContain(at);
      if (!text.includes("\\u")) expect(escapedLetters(Buffer.from(text))).toEqual([]);
    });
  });
});
