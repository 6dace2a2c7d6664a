import { describe, expect, it } from "vitest";
import { excerptLines, shownLines } from "./shown-lines.js";

const numbered = { isNumbered: true };
const plain = { isNumbered: false };

describe("what a read shows", () => {
  it.each([
    ["arrows", "     1→a\n     2→\n     3→\tb\n     4→", "a\n\n\tb\n"],
    ["tabs", "1\ta\n2\t\n3\t\tb\n4\t", "a\n\n\tb\n"],
    ["a reminder behind", "     1→a\n     2→b\n\n<system-reminder>\n1\tno\n</system-reminder>\n", "a\nb"],
    ["a reminder before", "<system-reminder>old</system-reminder>\n1\ta\n2\tb", "a\nb"],
    ["numbers from 0", "0\ta\n1\tb", "a\nb"],
  ])("numbered lines: %s", (_, result, text) => {
    expect(shownLines(result, numbered)).toEqual({ first: 1, text, endsFile: true });
  });

  it("a part that is as long as was asked for may go on", () => {
    const result = "600\ta\n601\t";
    expect(shownLines(result, { ...numbered, offset: 600, limit: 2 })).toEqual({
      first: 600,
      text: "a\n\n",
      endsFile: false,
    });
    expect(shownLines(result, { ...numbered, offset: 600, limit: 3 })?.endsFile).toBe(true);
  });

  it("words behind the lines say that it was cut", () => {
    expect(shownLines("1\ta\n[cut]", numbered)).toEqual({ first: 1, text: "a\n", endsFile: false });
  });

  it.each([
    "",
    "no numbers",
    "<system-reminder>the file is empty</system-reminder>",
    "1\ta\n7\tb",
    "<cell>1\ta</cell>",
  ])("no file of a tool that numbers: %j", (result) => {
    expect(shownLines(result, numbered)).toBeUndefined();
  });

  it.each([
    ["all", "a\nb\n", plain, { first: 1, text: "a\nb\n", endsFile: true }],
    [
      "more lines",
      "a\nb\n\n\n[12 more lines in file. Use offset=31 to continue]",
      { ...plain, offset: 28, limit: 3 },
      { first: 28, text: "a\nb\n\n", endsFile: false },
    ],
    [
      "a limit of the tool's",
      "a\nb\n\n[Showing lines 1-2 of 2377 (50.0KB limit). Use offset=3 to continue]",
      plain,
      { first: 1, text: "a\nb\n", endsFile: false },
    ],
    [
      "a notice before",
      "\nIMPORTANT: The file content has been truncated.\nStatus: Showing lines 3-4 of 90 total lines.\nAction: x\n\n--- FILE CONTENT (truncated) ---\na\nb",
      plain,
      { first: 3, text: "a\nb", endsFile: false },
    ],
    [
      "a limit that was reached",
      "a\nb\n",
      { ...plain, limit: 2 },
      { first: 1, text: "a\nb\n", endsFile: false },
    ],
  ])("text as it is: %s", (_, result, asked, shown) => {
    expect(shownLines(result, asked)).toEqual(shown);
  });

  it.each(["[Line 1 is 60KB, exceeds 50KB limit. Use bash]", "Read image file [image/png]"])(
    "no file: %s",
    (result) => {
      expect(shownLines(result, plain)).toBeUndefined();
    },
  );

  it("a file between tags, as OpenCode shows it, with a word for what follows", () => {
    const tagged = (content: string, type = "file"): string =>
      `<path>/w/a.md</path>\n<type>${type}</type>\n<content>${content}\n</content>`;
    expect(shownLines(tagged("1: # A\n2: \n3: 9: b\n\n(End of file - total 3 lines)"), plain)).toEqual({
      first: 1,
      text: "# A\n\n9: b",
      endsFile: true,
    });
    expect(
      shownLines(tagged("100: a\n101:   b\n\n(Showing lines 100-101 of 814. Use offset=102 to continue.)"), {
        ...plain,
        offset: 100,
        limit: 2,
      }),
    ).toEqual({ first: 100, text: "a\n  b\n", endsFile: false });
    expect(shownLines(tagged("a/\nb.ts", "directory"), plain)).toBeUndefined();
    expect(shownLines("<path>/w</path>", plain)).toBeUndefined();
  });

  it("an excerpt may have gaps", () => {
    expect(excerptLines("1\ta\n2\tb\n...\n9\ti\n\n... [785 lines truncated] ...")).toEqual([
      { first: 1, text: "a\nb\n", endsFile: false },
      { first: 9, text: "i\n", endsFile: false },
    ]);
  });
});
