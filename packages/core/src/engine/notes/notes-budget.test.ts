import { describe, expect, it } from "vitest";
import { createHeuristicEstimator } from "../measure/heuristic-estimator.js";
import { excessOf, notesWithinBudget } from "./notes-budget.js";
import { notesSections, notesTemplate, sectionsOf } from "./template.js";

const estimator = createHeuristicEstimator();
const settings = { notesSectionTokens: 200, notesTokens: 1200 };
const path = "/data/c1/session-memory/summary.md";
const marker = `[… this section goes on in ${path}]`;
const words = (count: number): string => Array.from({ length: count }, (_, at) => `word${at}`).join(" ");
const tokensOf = (text: string): number => estimator.block({ type: "text", text });

/** The template with bodies, by heading. */
const filled = (bodies: Readonly<Record<string, string>>): string =>
  notesSections
    .map(({ heading, hint }) => `# ${heading}\n_${hint}_\n${bodies[heading] ?? ""}`.trimEnd())
    .join("\n\n");

const use = (notes: string): string => notesWithinBudget(notes, { estimator, settings, path });

describe("what is too long", () => {
  it("is nothing in notes within their budgets", () => {
    expect(excessOf(notesTemplate, estimator, settings)).toEqual({ sections: [] });
    expect(excessOf(filled({ Worklog: words(20) }), estimator, settings)).toEqual({ sections: [] });
  });

  it("names sections with their tokens, and the file only where all of it is", () => {
    const one = excessOf(filled({ Worklog: words(300), Learnings: "x" }), estimator, settings);
    expect(one.sections).toEqual([{ heading: "Worklog", tokens: tokensOf(words(300)) }]);
    expect(one.total).toBeUndefined();
    const all = Object.fromEntries(notesSections.map(({ heading }) => [heading, words(80)]));
    const whole = excessOf(filled(all), estimator, settings);
    expect(whole.total).toBe(tokensOf(filled(all)));
  });
});

describe("notes as a summary uses them", () => {
  it("leaves out sections in which nothing stands", () => {
    expect(use(filled({ "Current state": "at work" }))).toBe(
      `# Current state\n_${notesSections[1]?.hint}_\nat work`,
    );
  });

  it("cuts a section at its budget: heading and italic line stay, a marker names the file", () => {
    const used = use(filled({ Worklog: words(2000), Learnings: "short" }));
    expect(used).toContain("short");
    expect(used).toContain(`# Worklog\n_${notesSections.at(-1)?.hint}_\nword0 word1`);
    expect(used.endsWith(`…\n${marker}`)).toBe(true);
    const body = sectionsOf(used).at(-1)?.body ?? "";
    expect(tokensOf(body)).toBeLessThanOrEqual(settings.notesSectionTokens + 5);
    expect(used.split(marker)).toHaveLength(2);
  });

  it("shares the file's budget out where all of it is too long", () => {
    const all = Object.fromEntries(notesSections.map(({ heading }) => [heading, words(400)]));
    const used = use(filled(all));
    expect(used.split(marker)).toHaveLength(11);
    for (const { heading, hint } of notesSections) expect(used).toContain(`# ${heading}\n_${hint}_\n`);
    const leads = tokensOf(notesTemplate);
    expect(tokensOf(used)).toBeLessThanOrEqual(settings.notesTokens + leads + 20);
  });

  it.each([
    ["headings", `# one\n# two\n${words(300)}`],
    ["no spaces", "x".repeat(20_000)],
    ["pairs of surrogates", "😀".repeat(3000)],
    ["line ends only", "\r\n".repeat(500)],
    ["a marker of its own", `${marker}\n`.repeat(60)],
  ])("is well-formed and within the budget for hostile bodies: %s", (_, body) => {
    const used = use(filled({ Workflow: body, Worklog: "last" }));
    expect(used.isWellFormed()).toBe(true);
    expect(used).toContain(`# Worklog\n_${notesSections.at(-1)?.hint}_\nlast`);
    const written = sectionsOf(used).find(({ heading }) => heading === "Workflow");
    expect(tokensOf(written?.body ?? "")).toBeLessThanOrEqual(settings.notesSectionTokens + 5);
  });

  it("a budget smaller than the marker leaves the marker", () => {
    const used = notesWithinBudget(filled({ Worklog: words(50) }), {
      estimator,
      settings: { notesSectionTokens: 1, notesTokens: 1 },
      path,
    });
    expect(sectionsOf(used).at(-1)?.body).toBe(marker);
  });
});
