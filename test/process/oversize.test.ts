import { readFile } from "node:fs/promises";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  filesBelow,
  linesOf,
  makeFolders,
  startSimulate,
  type Folders,
  type RunningSimulator,
} from "./agent-command.js";

const main = fileURLToPath(new URL("../../packages/palimpsest/bin/palimpsest.mjs", import.meta.url));
const WINDOW = 80_000;
const LINES = 60_000;

/** About a million tokens. */
const PASTE = Array.from(
  { length: LINES },
  (_, at) => `line ${at} of what was piped in, and nothing else`,
).join("\n");

let folders: Folders;
let simulator: RunningSimulator | undefined;
beforeEach(async () => {
  folders = await makeFolders("oversize");
});
afterEach(async () => {
  await simulator?.stop();
  simulator = undefined;
  await folders.remove();
});

async function run(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, [main, ...args], {
    cwd: folders.work,
    stdio: ["pipe", "pipe", "pipe"],
    env: { PATH: process.env["PATH"], HOME: folders.root, PALIMPSEST_HOME: folders.data, ...env },
  });
  child.stdin.end(PASTE);
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}

const keptFile = async (): Promise<string | undefined> =>
  Object.entries(await filesBelow(folders.data)).find(([path]) => path.endsWith("outputs/message.txt"))?.[1];

describe("a prompt that is piped in and that no window holds", () => {
  it("is answered by the embedded model, and one sentence says what was done", async () => {
    const { code, stdout, stderr } = await run([
      "-p",
      "Count the lines.",
      "--embedded",
      "--window",
      String(WINDOW),
    ]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^You said: Count the lines\. line 0/),
    });
    const told = stderr.split("\n").filter((line) => line.includes("did not fit into the context window"));
    expect(told).toHaveLength(1);
    const path = /the whole text is in (\/\S+message\.txt)\.$/.exec(told[0] ?? "")?.[1] ?? "";
    expect(await readFile(path, "utf8")).toBe(`Count the lines.\n\n${PASTE}`);
  });

  it("is accepted by a server of that window, and is an event of the stream", async () => {
    simulator = await startSimulate(["--window", String(WINDOW)]);
    const flags = ["--base-url", simulator.url, "--window", String(WINDOW), "--output-format", "stream-json"];
    const { code, stdout } = await run(["-p", "Count the lines.", ...flags], { ANTHROPIC_API_KEY: "any" });
    expect(code).toBe(0);
    const lines = linesOf(stdout);
    const told = lines.find(({ subtype, tier }) => subtype === "context" && tier === "oversize");
    expect(told).toMatchObject({ text: expect.stringContaining("The newest message did not fit") });
    expect(lines.at(-1)).toMatchObject({ subtype: "success", steps: { oversize: 1 } });
    const requests = await simulator.requests();
    expect(requests.map(({ status }) => status)).toEqual([200]);
    expect(await keptFile()).toContain(`line ${LINES - 1} of what was piped in`);
  });
});
