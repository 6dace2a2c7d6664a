import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import type {
  FileResult,
  ReplayReport,
} from "../../packages/palimpsest/src/replay/measures/policy-result.js";

const main = fileURLToPath(new URL("../../packages/palimpsest/bin/palimpsest.mjs", import.meta.url));
const corpus = process.env["PALIMPSEST_CORPUS"];
const reason =
  corpus === undefined ? " (not run: PALIMPSEST_CORPUS names no folder of recorded conversations)" : "";

const WINDOW = 200_000;
const MOST_OF_SUMMARISE_ALL = 0.8;
const LEAST_RECALL = 0.95;
const LEAST_RECALL_OF_A_FILE = 0.9;
/** Policies that remember about as much must not be cheaper. */
const COMPARABLE_RECALL = 0.02;

describe.skipIf(corpus === undefined)(`replay of the corpus in a window of ${WINDOW}${reason}`, () => {
  let report: ReplayReport;
  let seconds = 0;
  const files = (): readonly FileResult[] =>
    report.files.filter((file): file is FileResult => !("error" in file));
  const total = (name: string) => {
    const figures = report.total.policies[name];
    if (figures === undefined) throw new Error(`${name} was not played`);
    return figures;
  };

  beforeAll(async () => {
    const folder = corpus ?? "";
    const paths = readdirSync(folder)
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => join(folder, name));
    const started = performance.now();
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [main, "replay", ...paths, "--window", String(WINDOW), "--json"],
      { maxBuffer: 1 << 28 },
    );
    seconds = (performance.now() - started) / 1000;
    report = JSON.parse(stdout) as ReplayReport;
    const rows = Object.entries(report.total.policies).map(
      ([name, { cost, recall, userWords, invalid, overflow, cpuMsP99 }]) =>
        `${name.padEnd(20)} $${cost.toFixed(2).padStart(8)}  recall ${(recall * 100).toFixed(2)}%  ` +
        `user words ${(userWords * 100).toFixed(2)}%  invalid ${invalid}  overflow ${overflow}  p99 ${cpuMsP99.toFixed(1)} ms`,
    );
    const each = files().map(({ file, policies }) => {
      const { cost, recall } = policies["palimpsest"] ?? { cost: 0, recall: 0 };
      return `${file.slice(folder.length + 1, folder.length + 46).padEnd(46)} $${cost.toFixed(2).padStart(6)}  recall ${(recall * 100).toFixed(2)}%`;
    });
    console.log([`replay: ${seconds.toFixed(0)} s`, ...rows, ...each].join("\n"));
  });

  it("plays every file to its end: nothing invalid, nothing over the window", () => {
    expect(report.total.failed).toBe(0);
    for (const { file, rounds, policies } of files()) {
      const { invalid, overflow, turns, endedBecause } = policies["palimpsest"] ?? {};
      expect({ file, invalid, overflow, turns, endedBecause }).toEqual({
        file,
        invalid: 0,
        overflow: 0,
        turns: rounds,
        endedBecause: null,
      });
    }
    for (const [name, { invalid }] of Object.entries(report.total.policies)) {
      expect({ name, invalid }).toEqual({ name, invalid: 0 });
    }
  });

  it("remembers: recall in total and in each file, and every word of people", () => {
    expect(total("palimpsest").recall).toBeGreaterThanOrEqual(LEAST_RECALL);
    expect(total("palimpsest").userWords).toBe(1);
    const low = files().flatMap(({ file, policies }) => {
      const recall = policies["palimpsest"]?.recall ?? 0;
      return recall < LEAST_RECALL_OF_A_FILE ? [{ file, recall }] : [];
    });
    expect(low).toEqual([]);
  });

  it("costs less than summarising everything, with either lifetime", () => {
    const { cost } = total("palimpsest");
    expect(cost).toBeLessThanOrEqual(total("summarise-all").cost * MOST_OF_SUMMARISE_ALL);
    expect(cost).toBeLessThan(total("summarise-all@1h").cost);
  });

  it("costs less than every policy that remembers as much and never runs over", () => {
    const own = total("palimpsest");
    const cheaper = Object.entries(report.total.policies).filter(
      ([name, { overflow, recall, cost }]) =>
        name !== "palimpsest" &&
        overflow === 0 &&
        recall >= own.recall - COMPARABLE_RECALL &&
        cost <= own.cost,
    );
    expect(cheaper.map(([name]) => name)).toEqual([]);
  });
});
