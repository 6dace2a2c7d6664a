import { describe, expect, it } from "vitest";
import { reportDocument, reportLines } from "./demo-report.js";
import type { DemoOutcome } from "./demo-run.js";
import { createPaint } from "./demo-text.js";

const outcome: DemoOutcome = {
  model: "claude-sonnet-5",
  window: 200_000,
  meter: {
    tokens: 126_000,
    window: 200_000,
    responses: 40,
    cost: 3.25,
    withoutCaching: 15.67,
    summariseAll: 4.09,
    subagentCost: 0,
    cacheHit: 0.931,
    inputTokens: 7_800_000,
    outputTokens: 20_000,
    calls: 44,
  },
  steps: [],
  checks: [
    { name: "put to the test", holds: true, detail: "5 compactions" },
    { name: "file state", holds: false, detail: "no file came back after a compaction" },
    { name: "names in use", holds: false, detail: "fixtures/\u001b[2Jledger.json was searched again" },
  ],
  words: 0.5,
  baselineWords: 0.6,
  baselineCompactions: 2,
};
const facts = { seconds: 7, without: new Set(["restoration", "work-record"] as const), isRepository: true };
const linesOf = (one: DemoOutcome, columns = 100): readonly string[] =>
  reportLines(one, { columns, paint: createPaint(false), facts });

describe("what is read at the end of the demo", () => {
  it("names each part that was lost, and what was switched off", () => {
    const text = linesOf(outcome).join("\n");
    expect(text).toMatch(/^ {2}✓ put to the test/m);
    expect(text).toMatch(/^ {2}✗ file state {2,}no file came back after/m);
    expect(text).toMatch(/^Lost: file state, names in use\.$/m);
    expect(text).toMatch(/^Switched off: restoration, work-record\.$/m);
    expect(text).not.toContain("Nothing was forgotten");
    expect(reportDocument(outcome, facts)).toMatchObject({ isAllKept: false, checks: outcome.checks });
  });

  it("says so where nothing was lost, and only then", () => {
    const kept = { ...outcome, checks: outcome.checks.filter(({ holds }) => holds) };
    expect(linesOf(kept).join("\n")).toMatch(/^Nothing was forgotten\.$/m);
    expect(reportDocument(kept, facts)).toMatchObject({ isAllKept: true });
    const stopped = { ...kept, problem: "the disk is full" };
    expect(linesOf(stopped).join("\n")).toContain("the disk is full");
    expect(reportDocument(stopped, facts)).toMatchObject({ isAllKept: false, problem: "the disk is full" });
    expect(reportDocument({ ...kept, checks: [] }, facts)).toMatchObject({ isAllKept: false });
  });

  it.each([40, 60, 100])("fits into %i columns, and no text steers the terminal", (columns) => {
    for (const line of linesOf(outcome, columns)) {
      // oxlint-disable-next-line no-control-regex -- control characters are what this is about
      expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
    }
  });
});
