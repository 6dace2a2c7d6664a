import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  createScriptPlayer,
  createSimulator,
  createSimulatorApp,
  startSimulatorServer,
  type ScriptStep,
} from "../../packages/palimpsest/src/simulator/index.js";
import { makeFolders, runCommand, type Folders } from "./agent-command.js";
import { runAgentHere, runHere } from "./run-here.js";

const MAIN = fileURLToPath(new URL("../../packages/palimpsest/bin/palimpsest.mjs", import.meta.url));

interface Estimators {
  readonly default: { readonly median: number };
}

let folders: Folders;
beforeEach(async () => {
  folders = await makeFolders("record");
});
afterEach(() => folders.remove());

it("-p --record leaves what transcript check, analyze, estimate and replay read, and says so at the start", async () => {
  const folder = join(folders.root, "recorded");
  const args = ["--embedded", "--session-id", "recorded", "--record", folder];
  const first = await runCommand(folders, ["-p", "What is in here, and why?", ...args]);
  expect(first).toMatchObject({ code: 0, stdout: "You said: What is in here, and why?\n" });
  expect(first.stderr).toContain(`what is said is recorded in ${folder}, contents and all`);
  const more = ["--embedded", "--resume", "recorded", "--record", folder];
  const long = `Go on, please. ${"There is more to say about it. ".repeat(100)}`;
  expect(await runAgentHere(folders, ["-p", long, ...more])).toMatchObject({ code: 0 });
  expect(await readdir(folder)).toEqual(["palimpsest-recorded.jsonl"]);

  const read = async (...command: readonly string[]): Promise<unknown> => {
    const ran = await runHere([...command, folder, "--json"]);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    return JSON.parse(ran.stdout);
  };
  expect(await read("transcript", "check")).toMatchObject({
    files: [{ format: "claude-code", apiResponses: 2, humanTurns: 2, damagedLines: 0, valid: true }],
  });
  expect(await read("analyze")).toMatchObject({ files: [{ cost: { responses: 2 } }] });
  expect(await read("estimate")).toMatchObject({
    // It looks at rounds of tools, and there was none.
    files: [{ increments: 0 }],
  });
  expect(await read("replay", "--policy", "palimpsest,classic")).toMatchObject({
    files: [{ policies: { palimpsest: { turns: 2 }, classic: { turns: 2 } } }],
  });
});

it("each round of tools of a recording is an increment of estimate, through -p --record and through the gateway", async () => {
  const ROUNDS = 4;
  const step: ScriptStep = {
    text: "I count.",
    calls: [{ tool: "Bash", input: { command: "seq -f 'a line of its own %g' 1 400" } }],
  };
  const player = createScriptPlayer({ steps: Array.from({ length: ROUNDS }, () => step), closing: "Done." });
  const app = createSimulatorApp({ simulator: createSimulator({ player, startTime: Date.now() }) });
  const server = await startSimulatorServer({ app });
  try {
    const [own, seen] = [join(folders.root, "own"), join(folders.root, "seen")];
    const flags = [
      "-p",
      "Count, please.",
      "--model",
      "claude-sonnet-5",
      "--permission-mode",
      "bypassPermissions",
    ];
    const direct = await runAgentHere(folders, [...flags, "--base-url", server.url, "--record", own]);
    expect([direct.code, direct.stdout]).toEqual([0, "Done.\n"]);
    const agent = ["--", process.execPath, MAIN, ...flags];
    const through = ["gateway", "--upstream", server.url, "--record", seen, ...agent];
    const proxied = await runCommand(folders, through);
    expect([proxied.code, proxied.stdout]).toEqual([0, "Done.\n"]);
    for (const folder of [own, join(seen, "local")]) {
      const ran = await runHere(["estimate", folder, "--json"]);
      const { files } = JSON.parse(ran.stdout) as {
        readonly files: readonly [{ readonly increments: number; readonly estimators: Estimators }];
      };
      expect(files).toHaveLength(1);
      expect(files[0].increments).toBe(ROUNDS);
      // What is measured is what was recorded: a list of numbers is no surprise to the estimator that has learnt from it.
      expect(files[0].estimators.default.median).toBeGreaterThan(0);
      expect(files[0].estimators.default.median).toBeLessThan(0.5);
    }
  } finally {
    await server.close();
  }
});

it("a folder that cannot be one is wrong usage, before anything is asked", async () => {
  await writeFile(join(folders.root, "file"), "mine");
  await mkdir(join(folders.root, "folder"));
  const { code, stdout, stderr } = await runAgentHere(folders, [
    "-p",
    "Hello",
    "--embedded",
    "--record",
    join(folders.root, "file"),
  ]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(
    /^palimpsest: --record .*file: it must be a folder that can be written to \(EEXIST\)\n$/,
  );
  const gateway = await runHere(["gateway", "--record", join(folders.root, "file"), "--", "true"]);
  expect(gateway.code).toBe(2);
  expect(gateway.stderr).toMatch(
    /^palimpsest: --record .*file: it must be a folder that can be written to \(EEXIST\)\n/,
  );
});
