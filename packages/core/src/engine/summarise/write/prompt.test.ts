import { describe, expect, it } from "vitest";
import { sectionTitles } from "../shape/sections.js";
import { summaryPrompt } from "./prompt.js";

const variants = ["full", "from", "up_to"] as const;

describe("the request for a summary", () => {
  it.each(variants)("forbids tools at both ends (%s)", (variant) => {
    const paragraphs = summaryPrompt({ variant }).split("\n\n");
    expect(paragraphs[0]).toMatch(/do not call any tool/i);
    expect(paragraphs[0]).toMatch(/only turn/);
    expect(paragraphs.at(-1)).toMatch(/no tool calls/);
  });

  it.each(variants)("asks for a scratchpad, and for nine sections under their titles (%s)", (variant) => {
    const prompt = summaryPrompt({ variant });
    const numbered = [...prompt.matchAll(/^(\d)\. ([^:]+): \S/gm)].map(([, number, title]) => [
      Number(number),
      title,
    ]);
    expect(numbered).toEqual(sectionTitles(variant).map((title, index) => [index + 1, title]));
    expect(numbered).toHaveLength(9);
    expect(prompt.indexOf("<analysis>")).toBeLessThan(prompt.indexOf("<summary>"));
    expect(prompt.indexOf("<analysis>")).toBeGreaterThan(-1);
  });

  it("asks for every message of the person, and for the next step with quotes", () => {
    const lines = summaryPrompt({ variant: "full" }).split("\n");
    expect(lines.find((line) => line.startsWith("6. "))).toMatch(/every message.*word for word/i);
    expect(lines.find((line) => line.startsWith("9. "))).toMatch(/verbatim quotes/);
  });

  it("says of a part which part it is, and with what it begins", () => {
    const [full, from, upTo] = variants.map((variant) => summaryPrompt({ variant, pivot: 'Say "go"\nnow' }));
    expect(full).toMatch(/all messages so far/);
    expect(from).toMatch(/kept word for word and must not be summarised again/);
    expect(upTo).toMatch(/older part .* which is all you see/);
    expect(from).toContain(String.raw`"Say \"go\"\nnow"`);
    expect(sectionTitles("up_to").slice(7)).not.toEqual(sectionTitles("full").slice(7));
  });

  it("has what is wished for near its end, in the order given, and nothing of blank wishes", () => {
    const prompt = summaryPrompt({
      variant: "full",
      instructions: [" Mind the tests. ", undefined, " \n", "And docs."],
    });
    expect(prompt).toContain("Mind the tests.\n\nAnd docs.\n\nOnce more");
    const blank = summaryPrompt({ variant: "full", instructions: ["", undefined] });
    expect(blank).toBe(summaryPrompt({ variant: "full" }));
  });
});
