import { describe, expect, it } from "vitest";
import { madeUpReport } from "../testing/made-up-report.js";
import type { FileResult, TurnRecord } from "../results/policy-result.js";
import { reportData } from "./report-data.js";
import { sampleTurns } from "./sample-turns.js";

const report = madeUpReport({ seed: 2, turns: [4_000, 30] });
const { overview, files } = reportData(report, null);
const source = report.files[0] as FileResult;
const seriesOf = (name: string): readonly TurnRecord[] => source.policies[name]?.series ?? [];
const drawnOf = (name: string) => files[0]?.policies.find((policy) => policy.name === name)?.series;

describe("reportData", () => {
  it("draws a short series whole", () => {
    const [series] = (files[1]?.policies ?? []).map((policy) => policy.series);
    expect(series?.turns).toEqual(Array.from({ length: 30 }, (_, turn) => turn));
  });

  it("cuts a long series down and keeps its first and last turn, its peak and its sums", () => {
    const series = seriesOf("truncate");
    const drawn = drawnOf("truncate");
    expect(drawn?.turns.length).toBeGreaterThan(600);
    expect(drawn?.turns.length).toBeLessThanOrEqual(1_202);
    expect([drawn?.turns[0], drawn?.turns.at(-1)]).toEqual([0, 3_999]);
    expect(Math.max(...(drawn?.promptTokens ?? []))).toBe(
      Math.max(...series.map((turn) => turn.promptTokens)),
    );
    expect(drawn?.cost.at(-1)).toBeCloseTo(source.policies["truncate"]?.cost ?? 0, 5);
    expect(drawn?.missing.at(-1)).toBe(source.policies["truncate"]?.missingReferences);
    for (const { tokens } of drawn?.kinds ?? []) expect(tokens).toHaveLength(drawn?.turns.length ?? 0);
  });

  it("keeps every mark, whatever was left out of the drawing", () => {
    for (const name of ["palimpsest", "mask", "truncate"]) {
      const series = seriesOf(name);
      const edits = series.flatMap((turn) => turn.edits);
      const breaks = series.filter((turn) => turn.cacheBreak !== null);
      const blind = series.filter((turn) => turn.isBlind);
      expect(drawnOf(name)?.marks).toHaveLength(edits.length + breaks.length + blind.length);
    }
    const kinds = (name: string) => new Set(drawnOf(name)?.marks.map(({ what }) => what));
    expect(kinds("palimpsest")).toEqual(new Set(["cleared", "compacted", "broken", "blind"]));
    expect(kinds("mask")).toEqual(new Set(["cleared", "broken", "blind"]));
    expect(kinds("truncate")).toEqual(new Set(["compacted", "broken", "blind"]));
  });

  it("keeps files that failed apart, and long texts short", () => {
    const long = "x".repeat(5_000);
    const data = reportData(
      { files: [{ file: "a", error: long }, source], total: { ...report.total, failed: 1 } },
      null,
    );
    expect(data.overview.files).toEqual([source.file]);
    expect(data.overview.failed[0]?.error).toHaveLength(2_001);
    expect(overview.failed).toEqual([]);
  });

  it("has no series where none was asked for, or no turn was answered", () => {
    const bare = reportData(madeUpReport({ seed: 2, turns: [5], withSeries: false }), null);
    expect(bare.files[0]?.policies.every(({ series }) => series === null)).toBe(true);
    expect(reportData(madeUpReport({ seed: 2, turns: [0] }), null).files[0]?.policies[0]?.series).toBeNull();
  });
});

describe("sampleTurns", () => {
  it("keeps the order and the valley of every stretch too", () => {
    const series = seriesOf("summarise-all");
    const picked = sampleTurns(series, 100);
    expect(picked).toEqual(picked.toSorted((left, right) => left - right));
    expect(picked.length).toBeLessThanOrEqual(102);
    const lowest = series.reduce((low, turn, index) => {
      return turn.promptTokens < (series[low]?.promptTokens ?? 0) ? index : low;
    }, 0);
    expect(picked).toContain(lowest);
    expect(sampleTurns([], 100)).toEqual([]);
  });
});
