import { describe, expect, it } from "vitest";
import { extractionPrompt, type ExtractionPromptParts } from "./extraction-prompt.js";
import { notesTemplate } from "./template.js";

const path = "/data/c1/session-memory/summary.md";
const ask = (parts: Partial<ExtractionPromptParts> = {}): string =>
  extractionPrompt({
    path,
    notes: notesTemplate,
    toolName: "Edit",
    excess: { sections: [] },
    sectionTokens: 2000,
    totalTokens: 12_000,
    ...parts,
  });

describe("the request for an update of the notes", () => {
  it("names the one tool and the one file, and shows the file as it stands", () => {
    const prompt = ask({ toolName: "str_replace" });
    expect(prompt).toContain("Your only tool for this is str_replace");
    expect(prompt).toContain(`the only file is ${path}`);
    expect(prompt).toContain(`<current-notes>\n${notesTemplate}\n</current-notes>`);
    expect(prompt).toContain("about 2000 tokens, the whole file about 12000");
  });

  it("says nothing of size while there is room", () => {
    expect(ask()).not.toMatch(/CRITICAL|condensed/);
  });

  it("names the sections that must be condensed", () => {
    const sections = [
      { heading: "Worklog", tokens: 2345 },
      { heading: "Learnings", tokens: 9000 },
    ];
    const prompt = ask({ excess: { sections } });
    expect(prompt).toMatch(
      /too long and must be condensed:\n- "Worklog": 2345 tokens, 2000 allowed\n- "Learn/,
    );
    expect(prompt).not.toContain("CRITICAL");
  });

  it("an oversized file is critical, whether or not one section is too long", () => {
    const prompt = ask({ excess: { sections: [], total: 15_000 } });
    expect(prompt).toMatch(/^CRITICAL: the file has 15000 tokens and is over its limit of 12000\. Shorten/m);
    expect(prompt).not.toContain("must be condensed");
    const both = ask({ excess: { sections: [{ heading: "Worklog", tokens: 3000 }], total: 15_000 } });
    expect(both.indexOf("CRITICAL")).toBeLessThan(both.indexOf("must be condensed"));
  });
});
