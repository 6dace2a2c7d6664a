import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  agentArguments,
  linesOf,
  makeFolders,
  runCommand,
  startCommand,
  startSimulate,
  transcriptsIn,
  type Folders,
  type Line,
  type RunningSimulator,
} from "./agent-command.js";

let folders: Folders;
let simulator: RunningSimulator | undefined;
beforeEach(async () => {
  folders = await makeFolders("cost");
});
afterEach(async () => {
  await simulator?.stop();
  simulator = undefined;
  await folders.remove();
});

const WINDOW = 60_000;
const CHEAP = "claude-haiku-4-5";

interface Charged {
  readonly verdict: {
    readonly model: string;
    readonly cost: number;
    readonly input: number;
    readonly cacheRead: number;
    readonly output: number;
  } | null;
  readonly journey: string;
}

async function playing(player: string, faults?: string): Promise<RunningSimulator> {
  simulator = await startSimulate([
    "--player",
    player,
    ...(faults === undefined ? [] : ["--faults", faults]),
  ]);
  return simulator;
}

const chargedBy = async ({ requests }: RunningSimulator): Promise<readonly Charged[]> =>
  (await requests()) as unknown as readonly Charged[];

const sum = (list: readonly number[]): number => list.reduce((all, one) => all + one, 0);
const dollars = (list: readonly Charged[]): number => sum(list.map(({ verdict }) => verdict?.cost ?? 0));

async function analysed(): Promise<{ readonly cost: Readonly<Record<string, unknown>> }> {
  const [transcript] = await transcriptsIn(folders.data);
  const { code, stdout } = await runCommand(folders, ["analyze", transcript?.path ?? "", "--json"]);
  expect(code).toBe(0);
  return JSON.parse(stdout) as { readonly cost: Readonly<Record<string, unknown>> };
}

/** The model reads and reads, and is asked for summaries on the way. */
async function readingScript({
  reads = 8,
  after = [],
}: { reads?: number; after?: object[] } = {}): Promise<string> {
  await writeFile(
    join(folders.work, "large.txt"),
    Array.from({ length: 6000 }, (_, at) => `line ${at}: the value of setting number ${at * 7}`).join("\n"),
  );
  const steps = Array.from({ length: reads }, (_, at) => ({
    calls: [{ tool: "Read", input: { file_path: "large.txt", offset: 1 + at * 640, limit: 640 } }],
  }));
  const script = join(folders.root, "script.json");
  await writeFile(script, JSON.stringify({ steps: [...steps, ...after, "All of it is read.", "Good."] }));
  return script;
}

describe("what a run has cost", () => {
  it("is the simulator's bill, failed summaries by another model included, and the transcript's too", async () => {
    const sim = await playing(
      `script:${await readingScript({ reads: 10 })}+summaries=empty`,
      "529@2,429@3:1s",
    );
    const env = { PALIMPSEST_COMPACT_MODEL: CHEAP, PALIMPSEST_NOTES: "1" };
    const args = agentArguments({ url: sim.url, window: WINDOW });
    const first = await runCommand(folders, ["-p", "Read it.", ...args], env);
    const lines = linesOf(first.stdout);
    const bill = await chargedBy(sim);
    // Notes go on after the answer: a last line tells what they cost.
    expect(lines.slice(-2).map(({ type, subtype }) => [type, subtype])).toEqual([
      ["result", "success"],
      ["system", "cost"],
    ]);
    const result = lines.at(-1) as Line & { readonly modelUsage: Record<string, Line> };
    expect({ code: first.code, stderr: first.stderr }).toMatchObject({ code: 0 });
    expect(bill.filter(({ journey }) => journey !== "complete")).toEqual([]);
    expect(result["total_cost_usd"]).toBeCloseTo(dollars(bill), 9);
    expect(result["estimated_cost_usd"]).toBe(0);
    const byModel = (model: string) => bill.filter(({ verdict }) => verdict?.model === model);
    for (const model of ["claude-sonnet-5", CHEAP]) {
      expect(byModel(model).length).toBeGreaterThan(0);
      expect(result.modelUsage[model]).toMatchObject({
        calls: byModel(model).length,
        inputTokens: sum(byModel(model).map(({ verdict }) => verdict?.input ?? 0)),
        costUSD: expect.closeTo(dollars(byModel(model)), 9),
      });
    }
    // The conversation goes on another day: what it has cost is what both runs have cost.
    const second = await runCommand(folders, ["-p", "Good?", "--continue", ...args], env);
    const both = await chargedBy(sim);
    const again = linesOf(second.stdout).at(-1);
    expect(again?.["total_cost_usd"]).toBeCloseTo(dollars(both), 9);
    expect(again?.["run_cost_usd"]).toBeCloseTo(dollars(both.slice(bill.length)), 9);
    const { cost } = await analysed();
    expect(cost).toMatchObject({
      dollars: expect.closeTo(dollars(both), 9),
      estimatedCalls: 0,
      models: {
        "claude-sonnet-5": {
          dollars: expect.closeTo(dollars(both.filter((one) => one.verdict?.model === "claude-sonnet-5")), 9),
        },
        [CHEAP]: { calls: both.filter((one) => one.verdict?.model === CHEAP).length },
      },
      sources: { main: expect.anything(), compact: expect.anything(), session_memory: expect.anything() },
    });
  });

  it("goes on after a resume in another process: compactions, a failed one and a subagent are the simulators' bill to the token", async () => {
    const call = { tool: "Agent", input: { description: "look", prompt: "Look for it." } };
    const script = `script:${await readingScript({ reads: 6, after: [{ calls: [call] }] })}`;
    const bills: Charged[] = [];
    let id = "";
    /** A process of its own, and a simulator of its own. */
    const run = async (player: string, prompt: string, env: Readonly<Record<string, string>> = {}) => {
      const sim = await playing(player);
      const args = agentArguments({ url: sim.url, window: WINDOW });
      const going = id === "" ? [] : ["--resume", id];
      const { stdout } = await runCommand(folders, ["-p", prompt, ...going, ...args], env);
      const bill = await chargedBy(sim);
      bills.push(...bill);
      await sim.stop();
      simulator = undefined;
      const lines = linesOf(stdout);
      const told = lines.findLast((line) => "total_cost_usd" in line) as Line & {
        readonly usage: Line;
        readonly modelUsage: Record<string, Line>;
      };
      id = String(told["session_id"]);
      expect(told["total_cost_usd"]).toBeCloseTo(dollars(bills), 9);
      expect(told["run_cost_usd"]).toBeCloseTo(dollars(bill), 9);
      expect(told["usage"]["calls"]).toBe(bill.length);
      expect(told.modelUsage["claude-sonnet-5"]).toMatchObject({
        calls: bills.length,
        inputTokens: sum(bills.map(({ verdict }) => verdict?.input ?? 0)),
        cacheReadInputTokens: sum(bills.map(({ verdict }) => verdict?.cacheRead ?? 0)),
        outputTokens: sum(bills.map(({ verdict }) => verdict?.output ?? 0)),
        estimatedCalls: 0,
      });
      return { lines, told, bill };
    };
    const failing = await run(`${script}+summaries=empty`, "Read it.", {
      PALIMPSEST_COMPACT_EXTRACTIVE: "0",
      PALIMPSEST_BREAKER_FAILURES: "1",
    });
    const second = await run(script, "Go on.");
    const last = await run(script, "Good?");
    expect(failing.lines.filter(({ subtype }) => subtype === "compact_failed").length).toBeGreaterThan(0);
    expect(second.lines.filter(({ subtype }) => subtype === "compact_boundary").length).toBeGreaterThan(1);
    const sources = last.told["account"] as readonly Line[];
    expect(sources.map(({ source }) => source)).toEqual([
      "sdk",
      "compact",
      "agent:general",
      "agent:general/compact",
    ]);
  });

  it("tells of compactions that failed: a line for programs, a sentence for people", async () => {
    const sim = await playing(`script:${await readingScript()}+summaries=empty`);
    const env = { PALIMPSEST_COMPACT_MODEL: CHEAP, PALIMPSEST_COMPACT_EXTRACTIVE: "0" };
    const args = agentArguments({ url: sim.url, window: WINDOW });
    const { stdout } = await runCommand(folders, ["-p", "Read it.", ...args], env);
    const lines = linesOf(stdout);
    const failed = lines.filter(({ subtype }) => subtype === "compact_failed");
    expect(failed.length).toBeGreaterThan(0);
    expect(failed[0]).toMatchObject({
      reason: "no_summary",
      calls: [
        { source: "compact", model: "claude-sonnet-5", usage: { input_tokens: expect.any(Number) } },
        { source: "compact", model: CHEAP },
      ],
      cost_usd: expect.any(Number),
    });
    const bill = await chargedBy(sim);
    expect(lines.at(-1)?.["total_cost_usd"]).toBeCloseTo(dollars(bill), 9);
    const account = lines.at(-1)?.["account"] as readonly Line[] | undefined;
    const summaries = account?.filter(({ source }) => source === "compact") ?? [];
    expect(sum(summaries.map(({ costUSD }) => Number(costUSD)))).toBeCloseTo(
      sum(failed.map((line) => Number(line["cost_usd"]))),
      9,
    );
    const text = await runCommand(
      folders,
      ["-p", "Go on.", "--continue", ...args.map((arg) => (arg === "stream-json" ? "json" : arg))],
      env,
    );
    expect(text.stderr).toMatch(
      /a compaction came to nothing \(no_summary\) after 2 calls to a model, \$0\.\d{4}/,
    );
  });

  it("holds what was cut off by an interruption, marked as an estimate", async () => {
    const script = join(folders.root, "script.json");
    await writeFile(script, JSON.stringify({ steps: ["First.", "word ".repeat(4000)] }));
    const sim = await playing(`script:${script}`, "delay@2:60m");
    const args = agentArguments({ url: sim.url });
    await runCommand(folders, ["-p", "One.", ...args]);
    const { child, ended } = startCommand(folders, ["-p", "Two.", "--continue", ...args]);
    await expect.poll(async () => (await sim.requests()).length).toBe(2);
    child.kill("SIGINT");
    const { code, stdout } = await ended;
    expect(code).toBe(130);
    const result = linesOf(stdout).at(-1);
    expect(result).toMatchObject({ subtype: "error_aborted", usage: { calls: 1, estimatedCalls: 1 } });
    expect(result?.["estimated_cost_usd"]).toBeGreaterThan(0);
    expect(result?.["run_cost_usd"]).toBeCloseTo(Number(result?.["estimated_cost_usd"]), 12);
    expect((await analysed()).cost).toMatchObject({
      responses: 2,
      estimatedCalls: 1,
      estimatedDollars: result?.["estimated_cost_usd"],
    });
  });
});
