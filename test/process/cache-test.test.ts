import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runHere } from "./run-here.js";

const main = fileURLToPath(new URL("../../packages/palimpsest/bin/palimpsest.mjs", import.meta.url));

let directory = "";
let program = "";
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "palimpsest-cache-test-"));
  program = join(directory, "program.mjs");
  await writeFile(program, source);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** A program with one conversation of some turns; what it is told as JSON says what it does wrong. */
const source = `
const { turns = 12, dated = false, invalid = false, exit = 0, wait = false, key = false } = JSON.parse(process.argv[2] ?? "{}");
const { ANTHROPIC_BASE_URL: base, ANTHROPIC_API_KEY: apiKey = "" } = process.env;
if (key) console.log(JSON.stringify({ base, apiKey, token: process.env.ANTHROPIC_AUTH_TOKEN, direct: process.env.NO_PROXY }));
if (wait) {
  process.on("SIGTERM", () => { console.log("told to end"); process.exit(7); });
  setInterval(() => {}, 60_000);
  console.log("waits");
}
const messages = [];
const marked = { cache_control: { type: "ephemeral" } };
for (let turn = 1; turn <= (wait ? 0 : turns); turn += 1) {
  messages.push({ role: "user", content: "question " + turn });
  const response = await fetch(base + "/v1/messages", {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": apiKey || "any", "anthropic-version": "2023-06-01" },
    body: JSON.stringify({
      model: "claude-opus-5",
      max_tokens: invalid ? -1 : 100,
      system: [{ type: "text", text: "Rules. ".repeat(1000) + (dated ? "Day " + turn : ""), ...marked }],
      messages: messages.map((message, at) => at === messages.length - 1 ? { role: "user", content: [{ type: "text", text: message.content, ...marked }] } : message),
    }),
  });
  const body = await response.json();
  messages.push({ role: "assistant", content: body.content ?? "none" });
}
console.log("said " + messages.length);
process.exitCode = exit;
`;

interface Tested {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function start(args: readonly string[], told: object, env: NodeJS.ProcessEnv = {}) {
  const { ANTHROPIC_API_KEY: _key, ANTHROPIC_AUTH_TOKEN: _token, ...rest } = process.env;
  const child = spawn(
    process.execPath,
    [main, "simulate", ...args, "--", process.execPath, program, JSON.stringify(told)],
    { env: { ...rest, ...env }, stdio: ["ignore", "pipe", "pipe"] },
  );
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = once(child, "close").then(([code]): Tested => ({
    code: code as number | null,
    stdout,
    stderr,
  }));
  return { child, ended };
}

const run = (args: readonly string[], told: object = {}, env?: NodeJS.ProcessEnv): Promise<Tested> =>
  start(args, told, env).ended;

const ALL = "cacheHit>=0.9,breaks=0,refused=0";

describe("palimpsest simulate --assert -- PROGRAM", () => {
  it("exits with 0 where all holds, and what the program prints is left as it is", async () => {
    const { code, stdout, stderr } = await run(["--assert", ALL]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "said 24\n" });
    expect(stderr).toMatch(
      /12 requests, 9\d\.\d% of [\d,]+ input tokens read from the cache, 0 breaks, 0 refused/,
    );
    expect(stderr).toContain("3 assertions hold");
  });

  it("exits with 1, and names each assertion that fails with its figure, and each break with byte and owner", async () => {
    const { code, stderr } = await run(["--assert", `${ALL},requests=12`], { dated: true });
    expect(code).toBe(1);
    expect(stderr).toContain("palimpsest: cacheHit>=0.9 does not hold: cacheHit is 0.0%\n");
    expect(stderr).toContain("palimpsest: breaks=0 does not hold: breaks is 11\n");
    expect(stderr).not.toContain("refused=0 does");
    expect(stderr).not.toContain("requests=12 does");
    expect(
      stderr.match(/of request \d+ not read: byte 7,00[45] of system block 0 \(system\.0\) differs/g),
    ).toHaveLength(11);
  });

  it("keeps the exit code of a program that fails, and still tells what does not hold", async () => {
    const { code, stderr } = await run(["--assert", ALL], { exit: 9, dated: true });
    expect(code).toBe(9);
    expect(stderr).toContain("failed with exit code 9");
    expect(stderr).toContain("breaks=0 does not hold");
  });

  it("passes signals on, and tells the end that they make", async () => {
    const { child, ended } = start(["--assert", "requests=0"], { wait: true });
    await new Promise<void>((resolve) => {
      child.stdout.on("data", (chunk: Buffer) => {
        if (chunk.toString().includes("waits")) resolve();
      });
    });
    child.kill("SIGTERM");
    const { code, stdout } = await ended;
    expect(code).toBe(7);
    expect(stdout).toContain("told to end\n");
  });

  it("names refused requests with what the API said", async () => {
    const { code, stderr } = await run(["--assert", "refused=0,invalid=0"], { turns: 1, invalid: true });
    expect(code).toBe(1);
    expect(stderr).toContain("refused=0 does not hold: refused is 1");
    expect(stderr).toContain("invalid=0 does not hold: invalid is 1");
    expect(stderr).toMatch(/request 1: 400, .*max_tokens/);
  });

  it("faults that were asked for are not refusals, but errors", async () => {
    const { code, stderr } = await run(["--faults", "429@2", "--assert", "refused=0,errors=1"], { turns: 3 });
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("2 assertions hold") });
  });

  it("a program that sends nothing shows nothing", async () => {
    const { code, stderr } = await run(["--assert", "breaks=0"], { turns: 0 });
    expect(code).toBe(1);
    expect(stderr).toContain("no request arrived, so nothing is shown");
    expect((await run(["--assert", "requests=0"], { turns: 0 })).code).toBe(0);
  });

  it("--json prints the report alone on stdout, --report writes it", async () => {
    const file = join(directory, "report.json");
    const { stdout, stderr } = await run(["--json", "--report", file, "--assert", ALL], {
      turns: 3,
      dated: true,
    });
    expect(stderr).toContain("said 6\n");
    const report = JSON.parse(stdout) as object;
    expect(report).toEqual(JSON.parse(await readFile(file, "utf8")));
    expect(report).toMatchObject({
      holds: false,
      child: { exitCode: 0, signal: null, problem: null },
      assertions: [
        { assertion: "cacheHit>=0.9", holds: false, figure: 0 },
        { assertion: "breaks=0", holds: false, figure: 2 },
        { assertion: "refused=0", holds: true, figure: 0 },
      ],
      figures: { requests: 3, breaks: 2 },
      breaks: [
        { request: 2, since: 1, difference: { path: "system.0", byte: 7004 } },
        { request: 3, since: 2, difference: { path: "system.0", byte: 7004 } },
      ],
    });
  });

  it("the address is the program's own, with a key that opens nothing where it has none, and never through a proxy", async () => {
    const told = async (env: NodeJS.ProcessEnv): Promise<unknown> => {
      const { stdout } = await run([], { key: true, turns: 0 }, env);
      return JSON.parse(stdout.split("\n")[0] ?? "");
    };
    expect(await told({ NO_PROXY: "example.com" })).toMatchObject({
      base: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      apiKey: "sk-ant-simulated",
      direct: "example.com,127.0.0.1,localhost,::1",
    });
    expect(await told({ ANTHROPIC_AUTH_TOKEN: "their-own-token" })).toMatchObject({
      apiKey: "",
      token: "their-own-token",
    });
  });

  it("a report that cannot be written is told, and hides no failure of the program", async () => {
    const report = ["--report", join(directory, "nowhere/report.json")];
    const { code, stderr } = await run(report, { turns: 0, exit: 5 });
    expect(code).toBe(5);
    expect(stderr).toContain("palimpsest: the report could not be written: ENOENT");
    expect((await run(report, { turns: 0 })).code).toBe(1);
  });

  it("a program that does not exist is told, with the exit code of a shell", async () => {
    const { code, stderr } = await runHere(["simulate", "--", "/nowhere/program"]);
    expect(code).toBe(127);
    expect(stderr).toContain("/nowhere/program could not be started: there is no such command");
  });

  it.each([
    [
      ["--assert", "cachehit>=1", "--", "true"],
      "is not an assertion like cacheHit>=0.9: the names are requests,",
    ],
    [["--assert", "breaks=0"], "palimpsest: --assert is about a program that is run: write it after --"],
    [["--json"], "palimpsest: --json is about a program that is run"],
    [["--report", "x.json"], "palimpsest: --report is about a program that is run"],
    [["npm", "test"], "palimpsest: too many arguments; a program to run is written after --, like -- npm"],
  ])("wrong usage %j exits with 2", async (args, sentence) => {
    const { code, stdout, stderr } = await runHere(["simulate", ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(sentence);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });
});
