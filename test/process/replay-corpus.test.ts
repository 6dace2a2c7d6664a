import { execFile } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import type { FileResult, ReplayReport } from "../../packages/palimpsest/src/replay/results/policy-result.js";
import { corpusFolder } from "../../packages/palimpsest/src/replay/testing/corpus-folder.js";
import { someOf } from "../../packages/palimpsest/src/testing/share.js";

const main = fileURLToPath(new URL("../../packages/palimpsest/bin/palimpsest.mjs", import.meta.url));
const corpus = corpusFolder;
const reason =
  corpus === undefined ? " (not run: PALIMPSEST_CORPUS names no folder of recorded conversations)" : "";

const WINDOW = 200_000;
/** The large ones, and what can be said only of all of them together, are for `npm run soak -- --only recordings`. */
const MOST_BYTES = 400_000;
const LEAST_RECALL_OF_A_FILE = 0.9;

describe.skipIf(corpus === undefined)(
  `replay of the smaller recordings in a window of ${WINDOW}${reason}`,
  () => {
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
      const small = readdirSync(folder)
        .filter((name) => name.endsWith(".jsonl"))
        .map((name) => join(folder, name))
        .filter((path) => statSync(path).size <= MOST_BYTES);
      const paths = someOf(small, 3);
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
      expect(files().length).toBeGreaterThan(0);
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

    it("remembers: recall in each file, and every word of people", () => {
      expect(total("palimpsest").userWords).toBe(1);
      const low = files().flatMap(({ file, policies }) => {
        const recall = policies["palimpsest"]?.recall ?? 0;
        return recall < LEAST_RECALL_OF_A_FILE ? [{ file, recall }] : [];
      });
      expect(low).toEqual([]);
    });
  },
);
