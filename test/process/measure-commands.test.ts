import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { corpusFolder } from "../../packages/palimpsest/src/replay/testing/corpus-folder.js";
import { someOf } from "../../packages/palimpsest/src/testing/share.js";

const main = fileURLToPath(new URL("../../packages/palimpsest/bin/palimpsest.mjs", import.meta.url));
const corpus = corpusFolder;
const reason =
  corpus === undefined ? " (not run: PALIMPSEST_CORPUS names no folder of recorded conversations)" : "";

async function palimpsest(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [main, ...args], { maxBuffer: 1 << 27 });
  return stdout;
}

interface Errors {
  readonly median: number;
  readonly p90: number;
  readonly p99OfContext: number;
}
interface Report {
  readonly increments: number;
  readonly estimators: Readonly<Record<"chars4" | "heuristic" | "default", Errors>>;
}

describe.skipIf(corpus === undefined)(`on the corpus${reason}`, () => {
  it("estimate: the default estimator is as good as it has to be, and better than the classic rule", async () => {
    const folder = corpus ?? "";
    const files = readdirSync(folder).filter((name) => name.includes("claude") && name.endsWith(".jsonl"));
    const output = await palimpsest("estimate", "--json", ...files.map((name) => join(folder, name)));
    const { files: reports, total } = JSON.parse(output) as {
      files: readonly Report[];
      total: Report & { byTokenizer: Readonly<Record<string, Report>> };
    };
    const newer = total.byTokenizer["newer"];
    expect(newer?.increments).toBeGreaterThan(100);
    expect(newer?.estimators.default.median).toBeLessThanOrEqual(0.045);
    expect(newer?.estimators.default.p90).toBeLessThanOrEqual(0.135);
    expect(total.estimators.default.p99OfContext).toBeLessThanOrEqual(0.015);
    for (const { increments, estimators } of reports) {
      if (increments <= 30) continue;
      expect(estimators.default.median).toBeLessThan(estimators.heuristic.median);
      expect(estimators.default.p90).toBeLessThan(estimators.heuristic.p90);
    }
  });

  it("analyze: says where the context went, for every recording", async () => {
    const folder = corpus ?? "";
    const names = readdirSync(folder).filter((file) => file.endsWith(".jsonl"));
    for (const name of someOf(names, 4)) {
      const analysis = JSON.parse(await palimpsest("analyze", "--json", join(folder, name))) as {
        accounting: { total: number };
        duplicateReads: unknown[];
        cacheBreaks: { lostTokens: number; expectedTokens: number; readTokens: number; reason: string }[];
        compactions: { preTokens: number; postTokens: number | null }[];
        size: { tokens: number };
      };
      expect(analysis.accounting.total).toBeGreaterThan(0);
      expect(analysis.size.tokens).toBeGreaterThan(0);
      for (const { lostTokens, expectedTokens, readTokens, reason } of analysis.cacheBreaks) {
        expect(lostTokens).toBe(expectedTokens - readTokens);
        expect(lostTokens).toBeGreaterThan(Math.max(2000, expectedTokens * 0.05));
        expect(reason).not.toBe("");
      }
      for (const { preTokens, postTokens } of analysis.compactions) {
        expect(postTokens).toBeLessThan(preTokens);
      }
    }
  });
});

describe("bad input", () => {
  it.each([["estimate"], ["analyze"]])(
    "%s of a file that is not there: one sentence, exit code 1",
    async (command) => {
      await expect(palimpsest(command, "no-such-file.jsonl")).rejects.toMatchObject({
        code: 1,
        stderr: "palimpsest: no-such-file.jsonl does not exist\n",
      });
    },
  );

  it.each([["estimate"], ["analyze"]])("%s without a file is wrong usage", async (command) => {
    await expect(palimpsest(command)).rejects.toMatchObject({ code: 2 });
  });
});
