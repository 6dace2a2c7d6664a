import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyEdit } from "./apply-edit.js";

const edit = (text: string, oldText: string, newText: string, isEverywhere = false) => {
  const outcome = applyEdit(text, { oldText, newText, isEverywhere });
  return outcome.kind === "changed" ? outcome.text : outcome;
};

describe("applyEdit", () => {
  it.each([
    ["a b c", "b", "x", "a x c"],
    ["a b c", "b", "$& $1 $`", "a $& $1 $` c"],
    ["a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", "x\r\ny\r\nz\r\nc\r\n"],
    ["a\r\nb\r\n", "a\r\nb", "x\r\ny", "x\r\ny\r\n"],
    ["a\r\nb\r\n", "\nb", "\nx", "a\r\nx\r\n"],
    ["a\r\nb\r\n", "b\n", "", "a\r\n"],
    ["a\nb\r\nc\nd\n", "b\nc", "x\ny", "a\nx\ny\nd\n"],
    ["\uFEFFa\n", "a", "b", "\uFEFFb\n"],
    ["a\n", "a", "x\r\ny", "x\r\ny\n"],
  ])("%j: %j becomes %j", (text, oldText, newText, expected) => {
    expect(edit(text, oldText, newText)).toBe(expected);
  });

  it("counts, and replaces everywhere", () => {
    expect(edit("aXbXc", "X", "y")).toEqual({ kind: "ambiguous", count: 2 });
    expect(edit("aXbXc", "X", "y", true)).toBe("aybyc");
    expect(edit("aaa", "aa", "b", true)).toBe("ba");
    expect(edit("abc", "x", "y", true)).toEqual({ kind: "missing" });
    expect(edit("abc", "", "y")).toEqual({ kind: "missing" });
  });

  it("leaves the rest as it is, whatever the line ends", () => {
    const piece = fc.array(fc.constantFrom("a", "b", "\n", "\r\n", "é"), { maxLength: 12 });
    fc.assert(
      fc.property(piece, piece, piece, (before, old, after) => {
        const oldText = `<${old.join("")}>`;
        const text = `${before.join("")}${oldText}${after.join("")}`;
        const shown = oldText.replaceAll("\r\n", "\n");
        expect(edit(text, shown, "N")).toBe(`${before.join("")}N${after.join("")}`);
        expect(edit(text, oldText, "N")).toBe(`${before.join("")}N${after.join("")}`);
      }),
    );
  });

  // Beginning anew for each of them would take minutes.
  it("changes half a million places", () => {
    const edited = edit("a\r\n".repeat(500_000), "a", "bb", true);
    expect(edited === "bb\r\n".repeat(500_000)).toBe(true);
  });
});
