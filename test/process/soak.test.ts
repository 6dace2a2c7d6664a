import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runHere } from "./run-here.js";

const main = fileURLToPath(new URL("../../packages/palimpsest/bin/palimpsest.mjs", import.meta.url));

/** Runs of every fate. The one that fails does so by chance: of its seed, and after some steps. */
const RUNS = `
import { spawn } from "node:child_process";
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
export const soakRuns = [
  { name: "sound", about: "does well", passes: 3, async pass({ step, isOver }) {
    for (let n = 0; n < 5; n += 1) { await step({ tries: 1 }); if (isOver()) return; }
  } },
  { name: "unlucky", about: "does badly once", passes: 100, async pass({ seed, random, step }) {
    for (let n = 0; n < 20; n += 1) {
      await step({ tries: 1 });
      if (random.below(300) === 0) throw new Error("an invariant\\nis broken with seed " + seed + " at " + n);
    }
  } },
  { name: "endless", about: "never ends by itself", passes: 1, async pass({ step, isOver }) {
    do { await sleep(5); await step({ tries: 1 }); } while (!isOver());
  } },
  { name: "stuck", about: "waits for nothing", passes: 1, async pass({ step }) {
    await step({ tries: 1 });
    // While this one lives, the output of the run does not end.
    spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: ["ignore", "ignore", "inherit"] });
    for (;;);
  } },
  { name: "killed", about: "is killed", passes: 1, async pass({ step }) {
    await step({ tries: 1 });
    process.kill(process.pid, "SIGKILL");
    await sleep(1e6);
  } },
  { name: "crash", about: "takes its process with it", passes: 1, async pass({ step }) {
    await step({ tries: 1 });
    setTimeout(() => { throw new TypeError("nobody catches this"); });
    await sleep(1e6);
  } },
];
`;

let directory = "";
const at = (name: string): string => join(directory, name);

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "palimpsest-soak-test-"));
  await writeFile(at("my runs.mjs"), RUNS);
  await writeFile(at("none.mjs"), "export const other = 1;");
});
afterAll(() => rm(directory, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

/** Starts a program in a folder of its own, where nothing of the repository is. */
function start(file: string, args: readonly string[]): Started {
  const { PATH = "" } = process.env;
  const env = { PATH, HOME: directory, TMPDIR: directory };
  const child = spawn(file, args, { cwd: directory, env, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, stdout, stderr }));
  return { child, ended };
}

const startSoak = (...args: readonly string[]): Started => start(process.execPath, [main, "soak", ...args]);
const soak = (...args: readonly string[]): Promise<Ended> => startSoak(...args).ended;
const soakMine = (...args: readonly string[]): Promise<Ended> => soak("--runs", "my runs.mjs", ...args);

interface SoakDocument {
  readonly seed: number;
  readonly runs: readonly {
    readonly name: string;
    readonly end: string;
    readonly passes: number;
    readonly tried: Readonly<Record<string, number>>;
    readonly failed: number;
    readonly failures: readonly {
      readonly seed: number;
      readonly message: string;
      readonly reproduce: string;
    }[];
    readonly milliseconds: number;
  }[];
  readonly total: { readonly runs: number; readonly passes: number; readonly failed: number };
}

const documentIn = ({ stdout }: Ended): SoakDocument => JSON.parse(stdout) as SoakDocument;

describe("palimpsest soak", () => {
  it("--help has an example; --list says what there is", async () => {
    const help = await soak("--help");
    expect({ code: help.code, stderr: help.stderr }).toEqual({ code: 0, stderr: "" });
    expect(help.stdout).toMatch(/\$ palimpsest soak /);
    const list = await soakMine("--list");
    expect({ code: list.code, stderr: list.stderr }).toEqual({ code: 0, stderr: "" });
    expect(list.stdout).toMatch(/^conversation-chaos +a conversation among faults/m);
    expect(list.stdout).toMatch(/^sound +does well$/m);
    const { runs } = documentIn(await soak("--list", "--json"));
    expect(runs.map(({ name }) => name)).toContain("store-crash");
  });

  it("runs each once in full, and says what was tried and with which seed", async () => {
    const { code, stdout, stderr } = await soakMine("--only", "sound", "--seed", "42");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe("seed 42\nsound: 3 whole passes, 15 tries\n1 run, 3 whole passes, 0 failed\n");
  });

  it("runs a real one for a moment", async () => {
    const ended = await soak("--only", "simulator-fuzz", "--minutes", "0.01", "--json");
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 0, stderr: "" });
    const [run] = documentIn(ended).runs;
    expect(run).toMatchObject({ name: "simulator-fuzz", end: "time", failed: 0, failures: [] });
    expect(run?.tried["requests"]).toBeGreaterThan(0);
  });

  it("--json prints one document, in which the minutes were shared", async () => {
    const ended = await soakMine("--only", "endless,sound", "--minutes", "0.02", "--json");
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 0, stderr: "" });
    const { seed, runs, total } = documentIn(ended);
    expect(seed).toBeGreaterThanOrEqual(0);
    expect(runs.map(({ name, failed }) => ({ name, failed }))).toEqual([
      { name: "sound", failed: 0 },
      { name: "endless", failed: 0 },
    ]);
    for (const { tried } of runs) expect(tried["tries"]).toBeGreaterThan(0);
    expect(total).toMatchObject({ runs: 2, failed: 0 });
  });

  it("a failure says its seed, and a line that can be pasted and fails again in the same way", async () => {
    const ended = await soakMine("--only", "unlucky,sound", "--seed", "4294967290", "--json");
    expect(ended.code).toBe(1);
    const { runs, total } = documentIn(ended);
    // The others are run all the same.
    expect(runs.map(({ name, failed }) => [name, failed])).toEqual([
      ["sound", 0],
      ["unlucky", 1],
    ]);
    expect(total.failed).toBe(1);
    const failure = runs[1]?.failures[0];
    expect(failure?.message).toMatch(/^an invariant\nis broken with seed \d+ at \d+$/);
    expect(failure?.message).toContain(`seed ${failure?.seed} `);
    expect(failure?.seed).not.toBe(4_294_967_290);
    expect(ended.stderr).toBe(
      `palimpsest: unlucky failed with seed ${failure?.seed}: ${failure?.message.replace("\n", " ")}; ` +
        `again: ${failure?.reproduce}\n`,
    );
    const again = await start("/bin/sh", ["-c", failure?.reproduce ?? "false"]).ended;
    expect(again.code).toBe(1);
    expect(again.stderr).toBe(ended.stderr);
    expect(again.stdout).toContain("unlucky: FAILED: 0 whole passes, ");
  });

  it("what hangs without progress, and what crashes, has failed; what it has started is gone", async () => {
    // Only what hangs is not waited for: the others may take their time to start.
    const [hanging, ending] = await Promise.all([
      soakMine("--only", "stuck", "--patience", "5", "--json"),
      soakMine("--only", "killed,crash", "--json"),
    ]);
    expect([hanging.code, ending.code]).toEqual([1, 1]);
    const [stuck] = documentIn(hanging).runs;
    const [killed, crash] = documentIn(ending).runs;
    expect(stuck?.failures[0]).toMatchObject({ message: "no progress for 5 seconds" });
    expect(stuck?.failures[0]?.reproduce).toMatch(/ --patience 5 --only stuck --seed \d+$/);
    expect(killed?.failures[0]?.message).toBe("its process ended (SIGKILL): it said nothing");
    expect(crash?.failures[0]?.message).toBe("nobody catches this");
    expect(crash?.tried).toEqual({ tries: 1 });
  });

  it.each(["SIGINT", "SIGTERM"] as const)(
    "%s stops it, and what was tried so far is printed",
    async (signal) => {
      const { child, ended } = startSoak("--runs", "my runs.mjs", "--only", "endless,sound", "--seed", "1");
      // `sound` comes first: its line says that the other one is under way.
      await new Promise<void>((resolve) => {
        child.stdout?.on("data", (text: string) => {
          if (text.includes("sound: ")) setTimeout(resolve, 1500);
        });
      });
      child.kill(signal);
      const { code, stdout, stderr } = await ended;
      expect({ code, stderr }).toEqual({ code: 130, stderr: "" });
      expect(stdout).toMatch(/\nendless: interrupted: 0 whole passes/);
      expect(stdout).toMatch(/\n2 runs, 3 whole passes, 0 failed \(interrupted\)\n$/);
    },
  );

  it("refuses what it does not know, with what there is", async () => {
    const unknown = await runHere(["soak", "--only", "sound,nonsense"]);
    expect({ code: unknown.code, stdout: unknown.stdout }).toEqual({ code: 2, stdout: "" });
    expect(unknown.stderr).toMatch(
      /^palimpsest: no run is named "sound" \(there are [^\n]*conversation-chaos, [^\n]*\)\n$/,
    );
    for (const args of [
      ["--minutes", "0"],
      ["--minutes", "soon"],
      ["--minutes", ""],
      ["--seed", "-1"],
      ["--seed", "4294967296"],
      ["--seed", "1.5"],
      ["--patience", "0"],
      ["extra"],
    ]) {
      const { code, stdout, stderr } = await runHere(["soak", ...args]);
      expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: "" });
      expect(stderr).toMatch(/^palimpsest: /);
    }
  });

  it("a file without runs, or none at all: one sentence", async () => {
    for (const [file, sentence] of [
      ["none.mjs", /^palimpsest: none\.mjs must export soakRuns, [^\n]*\n$/],
      ["nowhere.mjs", /^palimpsest: [^\n]*nowhere\.mjs[^\n]*\n$/],
    ] as const) {
      const { code, stdout, stderr } = await soak("--runs", file);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(sentence);
    }
  });

  it("leaves nothing behind", async () => {
    expect((await readdir(directory)).toSorted()).toEqual(["my runs.mjs", "none.mjs"]);
  });
});
