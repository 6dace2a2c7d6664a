import { describe, expect, it } from "vitest";
import { parseSummary } from "./parse-summary.js";

describe("the summary in an answer", () => {
  it.each([
    ["<analysis>\nthoughts\n</analysis>\n\n<summary>\n1. A\n\n\n\n2. B\n</summary>", "1. A\n\n2. B"],
    ["<summary>only</summary>", "only"],
    ["no tags at all", "no tags at all"],
    ["Here it is:\n<summary>\ntext\n</summary>\nbye", "text"],
    // What it quotes may hold the tags.
    [
      "<summary>\nThe parser wants </summary> at the end.\nMore.\n</summary>",
      "The parser wants </summary> at the end.\nMore.",
    ],
    ["<analysis>\nThe user wants <summary> tags.\n</analysis>\n<summary>\nx\n</summary>", "x"],
    ["The code has `<summary>` in it.", "The code has `<summary>` in it."],
    ["1. <details><summary>Title</summary>\n2. B", "1. <details><summary>Title</summary>\n2. B"],
    ["Here it is: <summary>\n1. A\n</summary>", "1. A"],
    ['<summary>\nThen he said "stop"</summary>.\n', 'Then he said "stop"'],
    ["<summary>\nIt ends with `</summary>`\nand more\n</summary>", "It ends with `</summary>`\nand more"],
    ["<analysis>\nthought\n</analysis>\nthe rest without a tag", "the rest without a tag"],
  ])("%j", (answer, text) => {
    expect(parseSummary(answer)).toMatchObject({ kind: "summary", text });
  });

  it("says whether it stood in its element", () => {
    const isTagged = (answer: string) => parseSummary(answer).kind === "summary" && parseSummary(answer);
    expect(isTagged("<summary>\nonly\n</summary>")).toMatchObject({ isTagged: true });
    expect(isTagged("<analysis>\nthought\n</analysis>\nthe rest")).toMatchObject({ isTagged: false });
  });

  it.each(["", "  \n ", "<summary>\n\n</summary>", "<analysis>\nonly thoughts\n</analysis>"])(
    "%j is empty",
    (answer) => {
      expect(parseSummary(answer)).toEqual({ kind: "empty" });
    },
  );

  it.each([
    "<summary>\n1. A",
    "<analysis>\nthoughts without end",
    "<analysis>\nthoughts\n<summary>\nx\n</summary>",
    "<analysis>\nx\n</analysis>\n<summary>\nhalf",
    "Here it is: <summary>\n1. half of i",
    "<summary>\n1. The doc says </summary> is the end tag. 2. And then it stop",
    "<summary>\n1. The doc ends with `</summary>`\n2. And then it stop",
  ])("%j has no end", (answer) => {
    expect(parseSummary(answer)).toEqual({ kind: "unclosed" });
  });
});
