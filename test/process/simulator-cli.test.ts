import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import Anthropic from "@anthropic-ai/sdk";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { runHere } from "./run-here.js";

const main = fileURLToPath(new URL("../../packages/palimpsest/bin/palimpsest.mjs", import.meta.url));

let directory = "";
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "palimpsest-simulate-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

interface Running {
  readonly url: string;
  readonly process: ChildProcess;
  /** Sends a signal and waits for the end. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<{ code: number | null; stderr: string }>;
}

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill("SIGKILL");
});

/** Starts the command as a person would, and waits for its first line. */
async function simulate(...args: string[]): Promise<Running> {
  const child = spawn(process.execPath, [main, "simulate", ...args], { stdio: ["ignore", "pipe", "pipe"] });
  running.push(child);
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
  const line = await Promise.race([
    once(createInterface(child.stdout), "line").then(([line]) => String(line)),
    ended.then(() => `ended: ${stderr}`),
  ]);
  expect(line).toMatch(/^listening on http:\/\/127\.0\.0\.1:\d+$/);
  return {
    url: line.slice("listening on ".length),
    process: child,
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      const [code] = await ended;
      return { code, stderr };
    },
  };
}

/** Runs the command to its end. */
async function fails(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [main, "simulate", ...args]);
    return { code: 0, stdout, stderr };
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string };
  }
}

const question = {
  model: "claude-opus-5",
  max_tokens: 100,
  messages: [{ role: "user" as const, content: "hello" }],
};

const clientOf = (url: string): Anthropic =>
  new Anthropic({ apiKey: "sk-test", baseURL: url, maxRetries: 0 });

describe("palimpsest simulate", () => {
  it.each(["SIGINT", "SIGTERM"] as const)("serves the official client until %s", async (signal) => {
    const { url, stop } = await simulate();
    const message = await clientOf(url).messages.create(question);
    expect(message.content).toEqual([{ type: "text", text: "You said: hello" }]);
    const { code, stderr } = await stop(signal);
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^palimpsest: 1 request, 0 rejected, \d+ input, 0 read, 0 written, \d+ output, \$0\.\d{4}\n$/,
    );
  });

  it("stops while a response is on its way", async () => {
    const { url, stop } = await simulate("--faults", "slow@1:1m");
    const stream = clientOf(url).messages.stream(question);
    const failed = stream.finalMessage().then(
      () => false,
      () => true,
    );
    await new Promise<void>((resolve) => stream.once("streamEvent", () => resolve()));
    expect((await stop()).code).toBe(0);
    // Its next event would have come a minute later.
    expect(await failed).toBe(true);
  });

  it("simulated time passes with real time, and starts now", async () => {
    const { url } = await simulate();
    const { now } = (await (await fetch(`${url}/__sim/clock`)).json()) as { now: number };
    expect(Math.abs(now - Date.now())).toBeLessThan(60_000);
  });

  it("--window, --cache-edits, --faults and --player are heard", async () => {
    const script = join(directory, "script.json");
    await writeFile(script, JSON.stringify(["first of the script", "second"]));
    const { url } = await simulate(
      "--window",
      "2000",
      "--cache-edits",
      "--faults",
      "529@2",
      "--player",
      `script:${script}`,
    );
    const client = clientOf(url);
    expect((await client.messages.create(question)).content).toMatchObject([{ text: "first of the script" }]);
    await expect(client.messages.create(question)).rejects.toMatchObject({ status: 529 });
    const long = { ...question, messages: [{ role: "user" as const, content: "word ".repeat(3000) }] };
    await expect(client.messages.create(long)).rejects.toMatchObject({
      status: 400,
      apiMessage: expect.stringMatching(/^prompt is too long: \d+ tokens > 2000 maximum$/),
    });
    expect(await client.models.retrieve("claude-opus-5")).toMatchObject({ max_input_tokens: 2000 });
  });

  it("plays a recording", async () => {
    const recording = join(directory, "recording.jsonl");
    const line = (uuid: string, parentUuid: string | null, message: object): string =>
      JSON.stringify({
        type: (message as { role: string }).role,
        uuid,
        parentUuid,
        sessionId: "s",
        timestamp: "2026-11-15T10:00:00.000Z",
        message,
      });
    await writeFile(
      recording,
      `${[
        line("a", null, { role: "user", content: "hi" }),
        line("b", "a", {
          role: "assistant",
          id: "msg_1",
          model: "claude-opus-5",
          content: [{ type: "text", text: "said in the recording" }],
        }),
      ].join("\n")}\n`,
    );
    const { url } = await simulate("--player", `recording:${recording}`);
    const message = await clientOf(url).messages.create(question);
    expect(message.content).toMatchObject([{ text: "said in the recording" }]);
  });

  it("a port in use is one sentence, and exit code 1", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const { code, stdout, stderr } = await fails("--port", String(port));
    server.close();
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toBe(
      `palimpsest: port ${port} of 127.0.0.1 is in use; choose another one, or 0 for any free port\n`,
    );
  });

  it.each([
    [
      ["--port", "x"],
      "palimpsest: option '--port <number>' argument 'x' is invalid. It is a number from 0 to 65535.",
    ],
    [["--port", "65536"], "It is a number from 0 to 65535."],
    [["--window", "0"], "It is a number of tokens."],
    [["--faults", "418@1"], '"418" is not one of 401, 413, 429, 500, 529, cut, error, slow, delay.'],
    [["--faults", "529@0"], '"0" is not a number, a range like 5-7, or +2.'],
    [["--player", "nobody"], 'there is no player "nobody"'],
    [["--player", "load:big"], '"big" is not a size'],
    [["--nonsense"], "palimpsest: unknown option '--nonsense'"],
    [["argument"], "palimpsest: too many arguments"],
  ])("wrong usage %j exits with 2", async (args, sentence) => {
    const { code, stdout, stderr } = await runHere(["simulate", ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(sentence);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it.each([
    ["script:/nowhere.json", "palimpsest: /nowhere.json: "],
    ["recording:/nowhere.jsonl", "palimpsest: /nowhere.jsonl does not exist"],
  ])("a file that cannot be played (%s) exits with 1", async (player, sentence) => {
    const { code, stderr } = await runHere(["simulate", "--player", player]);
    expect(code).toBe(1);
    expect(stderr.startsWith(sentence)).toBe(true);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });

  it("--help has an example and the grammar of faults", async () => {
    const { code, stdout } = await runHere(["simulate", "--help"]);
    expect(code).toBe(0);
    expect(stdout).toContain("$ palimpsest simulate --port 8080");
    expect(stdout).toContain("cut[:EVENTS]");
  });
});
