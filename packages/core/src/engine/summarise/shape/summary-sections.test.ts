import { describe, expect, it } from "vitest";
import { sectionTitles } from "./sections.js";
import { findSections, sectionBody, sectionHeading } from "./summary-sections.js";

const numbersIn = (summary: string): readonly number[] => findSections(summary).map(({ number }) => number);

describe("titles", () => {
  it.each([
    ["1. Primary Request and Intent:", 1],
    ["1. Primary request and intent", 1],
    ["## 2. Key Technical Concepts", 2],
    ["### Files and Code Sections:", 3],
    ["**4. Errors and fixes**", 4],
    ["**4. Errors and fixes:**", 4],
    ["4. **Errors and Fixes**:", 4],
    ["5) Problem Solving:", 5],
    ["  6. All user messages:", 6],
    ["7. Pending Tasks: none", 7],
    ["8. Work completed:", 8],
    ["9. Context for continuing work:", 9],
    ["9. Next Steps:", 9],
    ["9. Optional next step (if any):", 9],
    ["10. Pending tasks:", 7],
  ])("%s", (line, number) => {
    expect(sectionHeading(line)?.number).toBe(number);
  });

  it.each([
    "1. Fix the current work of others",
    "2. Pending tasks were cleaned up",
    "3. Problem solving is hard",
    "    7. Pending tasks:",
    "\t7. Pending tasks:",
    "- Pending tasks:",
    "The next step: nothing",
    "Current work is done",
    "[3] 7. Pending tasks:",
    "",
  ])("not %s", (line) => {
    expect(sectionHeading(line)).toBeUndefined();
  });

  // Looking back at every character would take minutes.
  it("not a line of blanks or marks without end", () => {
    for (const character of [" ", "*", "#", "_", "\t", "("]) {
      expect(sectionHeading(character.repeat(2_000_000))).toBeUndefined();
    }
    expect(sectionHeading(`1. Pending tasks${" ".repeat(2_000_000)}x`)).toBeUndefined();
  });
});

describe("sections", () => {
  it.each(["full", "up_to"] as const)("finds all nine titles of %s", (variant) => {
    const summary = sectionTitles(variant)
      .map((title, index) => `${index + 1}. ${title}:\n   text ${index + 1}`)
      .join("\n\n");
    const parts = findSections(summary);
    expect(numbersIn(summary)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(sectionBody(summary, parts, 6)).toBe("text 6");
  });

  it("are not the numbered lines within them, and may come in any order", () => {
    const summary =
      "8. Current work: reading\n1. one\n2. two\n\n1. Primary request and intent:\n1. first\n2. second";
    const parts = findSections(summary);
    expect(parts.map(({ number }) => number)).toEqual([8, 1]);
    expect(sectionBody(summary, parts, 8)).toBe("reading\n1. one\n2. two");
    expect(sectionBody(summary, parts, 1)).toBe("1. first\n2. second");
  });

  it("a title without a number counts only where no other stands for it", () => {
    const body = "8. Current work:\n**Next steps:**\nnone\n";
    expect(numbersIn(body)).toEqual([8, 9]);
    expect(numbersIn(`${body}\n9. Optional next step:\nwait`)).toEqual([8, 9]);
    expect(sectionBody(`${body}9. Next step:\nwait`, findSections(`${body}9. Next step:\nwait`), 8)).toBe(
      "**Next steps:**\nnone",
    );
  });

  it("in several parts are one", () => {
    const summary = "7. Pending tasks:\na\n8. Current work:\nb\n7. Pending tasks:\nc";
    expect(sectionBody(summary, findSections(summary), 7)).toBe("a\nc");
  });
});
