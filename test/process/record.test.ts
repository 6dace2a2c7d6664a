import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { makeFolders, runCommand, type Folders } from "./agent-command.js";
import { runAgentHere, runHere } from "./run-here.js";

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
    files: [{ increments: expect.any(Number) as unknown, estimators: { default: {} } }],
  });
  expect(await read("replay", "--policy", "palimpsest,classic")).toMatchObject({
    files: [{ policies: { palimpsest: { turns: 2 }, classic: { turns: 2 } } }],
  });
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
    /^error: --record .*file: it must be a folder that can be written to \(EEXIST\)\n/,
  );
});
