import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FileResult, ReplayReport } from "../../packages/palimpsest/src/replay/results/policy-result.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const main = join(root, "packages/palimpsest/bin/palimpsest.mjs");

let directory = "";
const at = (...names: readonly string[]): string => join(directory, ...names);

async function node(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<{ stdout: string; stderr: string }> {
  return promisify(execFile)(process.execPath, [...args], {
    maxBuffer: 1 << 26,
    env: { ...process.env, ...env },
  });
}

/**
 * A recording with usage, about the repository that its folder names. `unlogged`: tokens more that the second request
 * sent and nobody wrote down.
 */
function recording(cwd: string, turns: number, unlogged = 0): string {
  const lines = Array.from({ length: turns * 2 }, (_, index) => {
    const isAnswer = index % 2 === 1;
    const cached = 25_000 + index * 200;
    const usage = {
      input_tokens: 3,
      cache_read_input_tokens: index === 1 ? 0 : cached - 400 + (index > 3 ? unlogged : 0),
      cache_creation_input_tokens: index === 1 ? cached : 400 + (index === 3 ? unlogged : 0),
      output_tokens: 40,
    };
    return JSON.stringify({
      type: isAnswer ? "assistant" : "user",
      uuid: `u${index}`,
      parentUuid: index === 0 ? null : `u${index - 1}`,
      sessionId: "s",
      cwd,
      timestamp: new Date(Date.UTC(2026, 10, 15, 10, 0, index * 5)).toISOString(),
      message: isAnswer
        ? {
            role: "assistant",
            id: `m${index}`,
            model: "claude-opus-4-5",
            content: [{ type: "text", text: `done with ${index} of ${cwd}` }],
            stop_reason: "end_turn",
            usage,
          }
        : { role: "user", content: `please do ${index} ${"and so on ".repeat(60)}` },
    });
  });
  return `${lines.join("\n")}\n`;
}

/** A file is read, everything becomes a summary that does not show it, it is read again and edited. */
function compactedRecording(): string {
  const line = "export const wick = trimmed(lamp);";
  const file = `1\t${line}\n2\texport const lamp = lit("here");`;
  const use = (id: string, name: string, input: object): object => ({ type: "tool_use", id, name, input });
  const said = (content: unknown, more: object = {}): object => ({
    type: "user",
    message: { role: "user", content },
    ...more,
  });
  const answer = (id: string, ...content: readonly object[]): object => ({
    type: "assistant",
    message: { role: "assistant", id, model: "claude-opus-4-5", content },
  });
  const got = (id: string, content: string): object =>
    said([{ type: "tool_result", tool_use_id: id, content }]);
  const read = { file_path: "/w/lamp/wick.ts" };
  const lines = [
    said("mend the lamp"),
    answer("m1", use("t1", "Read", read)),
    got("t1", file),
    answer("m2", { type: "text", text: "I have seen it." }),
    {
      type: "system",
      subtype: "compact_boundary",
      content: "",
      compactMetadata: { trigger: "auto", preTokens: 1 },
    },
    said("We work on a lamp.", { isCompactSummary: true }),
    said("go on"),
    answer("m3", use("t2", "Read", read)),
    got("t2", file),
    answer("m4", use("t3", "Edit", { ...read, old_string: line, new_string: `${line} // lit` })),
  ];
  return lines
    .map((one, index) => {
      const timestamp = new Date(Date.UTC(2026, 10, 15, 10, 0, index * 5)).toISOString();
      const isBoundary = index === 4;
      const parentUuid = index === 0 || isBoundary ? null : `u${index - 1}`;
      const before = isBoundary ? { logicalParentUuid: "u3" } : {};
      return `${JSON.stringify({ ...one, uuid: `u${index}`, parentUuid, ...before, sessionId: "s", cwd: "/w/lamp", timestamp })}\n`;
    })
    .join("");
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "palimpsest-totals-"));
  for (const folder of ["few", "more", "compacted", "lacking"]) await mkdir(at(folder));
  await writeFile(at("few", "a.jsonl"), recording("/w/mill", 6));
  await writeFile(at("few", "b.jsonl"), recording("/w/lamp", 9));
  await writeFile(at("more", "c.jsonl"), recording("/w/mill", 6));
  await writeFile(at("more", "d.jsonl"), recording("/w/quay/.worktrees/1", 4));
  await writeFile(at("compacted", "e.jsonl"), compactedRecording());
  await writeFile(at("lacking", "j.jsonl"), recording("/w/mole", 8, 9000));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describe("replay of several folders", () => {
  const replay = (...args: readonly string[]) =>
    node([main, "replay", at("few"), at("more"), "--workers", "1", "--policy", "none,as-recorded", ...args]);

  it("counts each conversation once, with intervals by repository, and the recorded bill beside the simulated", async () => {
    const { stdout, stderr } = await replay("--json");
    expect(stderr).toBe(
      `palimpsest: ${at("more", "c.jsonl")} holds the same as ${at("few", "a.jsonl")}, which is played once\n`,
    );
    const report = JSON.parse(stdout) as ReplayReport;
    expect(report.total).toMatchObject({ files: 3, failed: 0, rounds: 19, repositories: 3 });
    const { none } = report.total.policies;
    expect(none?.conversations).toBe(3);
    for (const figure of ["cost", "costRatio", "recall", "userWords"] as const) {
      const [low = NaN, high = NaN] = none?.intervals?.[figure] ?? [];
      expect(low).toBeLessThanOrEqual(none?.[figure] ?? 0);
      expect(high).toBeGreaterThanOrEqual(none?.[figure] ?? 0);
    }
    const files = report.files.filter((file): file is FileResult => !("error" in file));
    expect(files.map(({ repository }) => repository)).toEqual(["mill", "lamp", "quay"]);
    for (const { rounds, policies } of files) {
      const bill = policies["as-recorded"]?.recordedBill;
      expect(bill?.responses).toBe(rounds);
      expect(Math.abs(bill?.error ?? 1)).toBeLessThan(0.1);
      expect(policies["none"]).not.toHaveProperty("recordedBill");
    }
  });

  it("says so in tables", async () => {
    const { stdout } = await replay();
    expect(stdout).toContain("95% intervals: 3 conversations of 3 repositories, drawn by repository");
    expect(stdout).toMatch(
      /^none +\$\d+\.\d\d – \$\d+\.\d\d +0\.0% – 0\.0% +0\.0% – 0\.0% +\$\d+\.\d\d – \$\d+\.\d\d +\d\.\d\d – \d\.\d\d +100\.0% – 100\.0%/m,
    );
    expect(stdout).toMatch(
      /The simulator's bill against the recorded usage, and .+\n\(what .+\)\nfile +responses +recorded +.+ left +explained/,
    );
    expect(stdout).toMatch(/^d\.jsonl +4 +\$\d+\.\d\d +\$\d+\.\d\d +[+-]?\d+\.\d%/m);
  });
});

describe("replay of a recording that lacks what was sent", () => {
  const replay = (...args: readonly string[]) =>
    node([main, "replay", at("lacking"), "--workers", "1", "--policy", "as-recorded", ...args]);

  it("says what that explains of the difference between the bills, and what is left", async () => {
    const { stdout } = await replay("--json");
    const report = JSON.parse(stdout) as ReplayReport;
    const file = report.files.find((one): one is FileResult => !("error" in one));
    const bill = file?.policies["as-recorded"]?.recordedBill;
    // 9,000 tokens of Opus 4.5 are written once for 6.25 dollars a million, and read six times for 0.5: 8.3 cents. The
    // other rounds, of a few hundred tokens, are recorded a little larger than they are.
    expect(bill?.causes.unlogged).toBeLessThan(-0.08);
    expect(bill?.causes.unlogged).toBeGreaterThan(-0.1);
    expect(bill?.explained).toBeCloseTo(bill?.causes.unlogged ?? 0, 2);
    expect(bill?.error).toBeLessThan(-0.1);
    expect(Math.abs(bill?.unexplainedError ?? 1)).toBeLessThan(0.05);
    expect((await replay()).stdout).toMatch(/^j\.jsonl +8 .+ -\$0\.\d\d: unlogged -\$0\.\d\d/m);
  });
});

describe("replay of a recording that was compacted", () => {
  const replay = (...args: readonly string[]) =>
    node([main, "replay", at("compacted"), "--workers", "1", "--policy", "none,as-recorded", ...args]);

  it("says what was read again after it, and what was to be expected", async () => {
    const { policies } = (JSON.parse((await replay("--json")).stdout) as ReplayReport).total;
    const once = { files: 1, reads: 1, commands: 0 };
    expect(policies["as-recorded"]?.rereads).toEqual({
      compactions: 1,
      rounds: 2,
      after: once,
      before: { files: 0, reads: 0, commands: 0 },
      observed: once,
      predicted: once,
      matched: 1,
    });
    expect(policies["none"]).not.toHaveProperty("rereads");
    expect((await replay()).stdout).toMatch(
      /Read again around recorded compactions[^\n]*\nfile +compactions[^\n]*\ne\.jsonl +1 +2 +1 \/ 1 \/ 0 +0 \/ 0 \/ 0 +1 \/ 1 \/ 0 +1 \/ 1 \/ 0 +1\s/,
    );
  });
});

describe("PALIMPSEST_CORPUS with several folders", () => {
  const both = (): NodeJS.ProcessEnv => ({ PALIMPSEST_CORPUS: [at("few"), at("more")].join(delimiter) });

  it("is read by bench", async () => {
    const { stdout } = await node([main, "bench", "--only", "ttl.chosen"], both());
    expect(stdout).toMatch(/^ttl\.chosen +[\d.]+ \$$/m);
  });

  it("has sets: the first folder is for tuning, of others those whose names say so", async () => {
    const { stdout } = await node([join(root, "bench/replay-bench.mjs"), "--sets"], both());
    // SHA-256 of "d.jsonl" begins with a.
    expect(stdout.trim().split("\n")).toEqual(["tuning  a.jsonl", "tuning  b.jsonl", "check   d.jsonl"]);
  });
});
