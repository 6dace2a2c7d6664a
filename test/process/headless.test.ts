import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Message } from "@palimpsest/core";
import { liveMessages } from "@palimpsest/core/engine";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  createScriptPlayer,
  createSimulator,
  createSimulatorApp,
  parseScript,
  startSimulatorServer,
  type SimulatorServer,
} from "../../packages/palimpsest/src/simulator/index.js";
import { linesOf, makeFolders, type Folders } from "./agent-command.js";
import { runAgentHere } from "./run-here.js";

const main = fileURLToPath(new URL("../../packages/palimpsest/bin/palimpsest.mjs", import.meta.url));

let folders: Folders;
let simulator: SimulatorServer | undefined;
let server: Server | undefined;
beforeEach(async () => {
  folders = await makeFolders("headless");
});
afterEach(async () => {
  await simulator?.close();
  simulator = undefined;
  server?.close();
  server = undefined;
  await folders.remove();
});

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  readonly input?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Sent when the output holds this. */
  readonly interrupt?: { readonly at: string; readonly signal: NodeJS.Signals };
  /** Whether the input stays open. */
  readonly staysOpen?: boolean;
}

/** Who answers, where no server does. */
const echo = (args: readonly string[]): readonly string[] =>
  args.some((arg) => arg === "-p" || arg === "--print") && !args.includes("--base-url") ? ["--embedded"] : [];

async function run(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { input, env, interrupt, staysOpen = false } = options;
  const child = spawn(process.execPath, [main, ...args, ...echo(args)], {
    cwd: folders.work,
    stdio: [input === undefined && !staysOpen ? "ignore" : "pipe", "pipe", "pipe"],
    env: { PATH: process.env["PATH"], HOME: folders.root, PALIMPSEST_HOME: folders.data, ...env },
  });
  if (input !== undefined) child.stdin?.write(input);
  if (!staysOpen) child.stdin?.end();
  let stdout = "";
  let stderr = "";
  let isInterrupted = false;
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    if (interrupt === undefined || isInterrupted || !stdout.includes(interrupt.at)) return;
    isInterrupted = true;
    child.kill(interrupt.signal);
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}

/** The same in this process, for what another process adds nothing to. */
const runHere = (args: readonly string[], input = ""): Promise<Ran> =>
  runAgentHere(
    folders,
    [...args, ...echo(args)],
    { ANTHROPIC_API_KEY: undefined, PALIMPSEST_TRUST: undefined },
    input,
  );

/** A server that plays these steps, and the flags that lead to it. */
async function playing(steps: readonly unknown[]): Promise<readonly string[]> {
  const player = createScriptPlayer(parseScript(JSON.stringify({ steps })));
  const app = createSimulatorApp({ simulator: createSimulator({ player, startTime: Date.now() }) });
  simulator = await startSimulatorServer({ app, port: 0, host: "127.0.0.1" });
  return ["--base-url", simulator.url];
}

/** A stream, and nothing is asked for. */
const FREE = ["-p", "Go.", "--output-format", "stream-json", "--permission-mode", "bypassPermissions"];

const call = (tool: string, input: object) => ({ tool, input });
const user = (content: unknown): string =>
  `${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`;

describe("output", () => {
  it("is the answer alone as text", async () => {
    const { code, stdout, stderr } = await run(["-p", "Hello"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "You said: Hello\n" });
    expect(stderr).toBe("");
  });

  it("is one document as json", async () => {
    const { code, stdout } = await runHere(["-p", "Hello", "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      type: "result",
      subtype: "success",
      is_error: false,
      result: "You said: Hello",
      session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      provider: "embedded",
      num_turns: 1,
      usage: { output_tokens: expect.any(Number), calls: 1 },
      total_cost_usd: expect.any(Number),
      permission_denials: [],
    });
  });

  it("is a line for each message as stream-json", async () => {
    const base = await playing([{ calls: [call("Bash", { command: "echo hi" })] }, "Done."]);
    const { code, stdout } = await run([...FREE, ...base]);
    expect(code).toBe(0);
    const lines = linesOf(stdout);
    expect(lines[0]).toMatchObject({
      type: "system",
      subtype: "init",
      cwd: folders.work,
      tools: expect.arrayContaining(["Read", "Recall"]),
      permissionMode: "bypassPermissions",
    });
    expect(lines.filter(({ type }) => type !== "attachment").map(({ type }) => type)).toEqual([
      "system",
      "user",
      "assistant",
      "user",
      "assistant",
      "result",
    ]);
    const ids = new Set(lines.map((line) => line["session_id"]));
    expect(ids.size).toBe(1);
  });

  it("bears that nobody reads it to the end", async () => {
    const child = spawn(
      "/bin/sh",
      [
        "-c",
        `"${process.execPath}" "${main}" -p Hello --embedded --output-format stream-json 2>err </dev/null | head -c 1; cat err`,
      ],
      {
        cwd: folders.work,
        env: { PATH: process.env["PATH"], HOME: folders.root, PALIMPSEST_HOME: folders.data },
      },
    );
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    await once(child, "close");
    expect(stdout).not.toContain("    at ");
  });
});

describe("input", () => {
  it("is a prompt where there is none, and stands behind one", async () => {
    expect((await run(["-p"], { input: "from a pipe\n" })).stdout).toBe("You said: from a pipe\n");
    expect((await runHere(["-p", "Explain:"], "the log\n")).stdout).toBe("You said: Explain: the log\n");
    expect((await runHere(["--print", "Hello", "--model", "haiku"])).stdout).toBe("You said: Hello\n");
  });

  it("is not waited for where a program leaves it open", async () => {
    expect((await run(["-p", "Hello"], { staysOpen: true })).stdout).toBe("You said: Hello\n");
  });

  it("is needed", async () => {
    const { code, stderr } = await runHere(["-p"]);
    expect(code).toBe(2);
    expect(stderr).toContain("there is no prompt");
  });

  it("holds several prompts as stream-json, each with its result", async () => {
    const args = ["-p", "--input-format", "stream-json", "--output-format", "stream-json"];
    const { code, stdout } = await runHere(args, user("one") + user([{ type: "text", text: "two" }]));
    expect(code).toBe(0);
    const results = linesOf(stdout).filter(({ type }) => type === "result");
    expect(results).toMatchObject([
      { result: "You said: one", num_turns: 1 },
      { result: "You said: two", num_turns: 2 },
    ]);
  });

  it("that is not what it has to be is wrong usage", async () => {
    const { code, stderr } = await runHere(
      ["-p", "--input-format", "stream-json"],
      `${user("one")}{"type":"user"\n`,
    );
    expect(code).toBe(2);
    expect(stderr).toContain("line 2 of the input is not JSON");
  });
});

describe("conversations", () => {
  it("are continued, resumed and listed", async () => {
    const first = JSON.parse((await run(["-p", "First words", "--json"])).stdout) as { session_id: string };
    const id = first.session_id;
    const second = JSON.parse((await run(["-p", "More", "--json", "--continue"])).stdout);
    expect(second).toMatchObject({ session_id: id, result: "You said: More" });
    expect(JSON.parse((await runHere(["-p", "Again", "--json", "--resume", id])).stdout)).toMatchObject({
      session_id: id,
    });
    const own = JSON.parse((await runHere(["-p", "Own", "--json", "--session-id", "my-id"])).stdout);
    expect(own).toMatchObject({ session_id: "my-id" });
    const listed = JSON.parse((await run(["sessions", "--json"])).stdout);
    expect(listed.sessions).toEqual([
      {
        id: "my-id",
        title: "Own",
        messages: expect.any(Number),
        bytes: expect.any(Number),
        updatedAt: expect.any(Number),
      },
      {
        id,
        title: "First words",
        messages: expect.any(Number),
        bytes: expect.any(Number),
        updatedAt: expect.any(Number),
      },
    ]);
    expect((await runHere(["sessions"])).stdout).toContain("First words");
    const elsewhere = JSON.parse((await run(["sessions", "--json", "--cwd", folders.root])).stdout);
    expect(elsewhere.sessions).toEqual([]);
  });

  it.each([
    [["--resume", "11111111-1111-4111-8111-111111111111"], "There is no conversation"],
    [["--resume", "../../../etc/passwd"], "cannot name a conversation"],
    [["--continue"], "no conversation to continue"],
  ])("that are not there: %j is one sentence", async (flags, sentence) => {
    const { code, stdout, stderr } = await runHere(["-p", "Go.", ...flags]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(stderr).toContain(sentence);
  });

  it("are gone back in: what came after stays in the transcript and is not sent", async () => {
    const lines = async (args: readonly string[]) =>
      (await runHere([...args, "--output-format", "stream-json"])).stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    const [init] = await lines(["-p", "First words"]);
    const path = String(init?.["transcript_path"]);
    const stored = async () =>
      (await readFile(path, "utf8"))
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Message);
    const target = (await stored()).findLast(({ type }) => type === "assistant");
    await lines(["-p", "Second words", "--continue"]);
    await lines(["-p", "Third words", "--continue", "--at", target?.uuid ?? ""]);
    const all = await stored();
    const marker = all.find((message) => message.type === "system" && message.subtype === "rewound");
    expect(marker?.parentUuid).toBe(target?.uuid);
    const live = JSON.stringify(liveMessages(all));
    expect(live).toContain("First words");
    expect(live).not.toContain("Second words");
    expect(live).toContain("Third words");
    expect(JSON.stringify(all)).toContain("Second words");
    const lost = await runHere(["-p", "Go.", "--continue", "--at", "nowhere"]);
    expect(lost).toMatchObject({ code: 1, stdout: "" });
    expect(lost.stderr).toContain('There is no message "nowhere" in the conversation.');
    expect(await runHere(["-p", "Go.", "--at", "nowhere"])).toMatchObject({ code: 2 });
    expect(await run(["-p", "Go.", "--continue"])).toMatchObject({ code: 0 });
  });

  it("that are complete have nothing to go on with", async () => {
    await runHere(["-p", "Hello"]);
    const { code, stderr } = await runHere(["-p", "--continue"]);
    expect(code).toBe(1);
    expect(stderr).toContain("nothing to go on with");
  });
});

describe("an interruption", () => {
  it("in the middle of an answer leaves a valid transcript, and the work goes on", async () => {
    const base = await playing([
      { calls: [call("Bash", { command: "echo one" })] },
      { text: "word ".repeat(500), delivery: { eventDelayMs: 50 }, times: 1 },
      "Done.",
    ]);
    const stream = ["--output-format", "stream-json", "--permission-mode", "bypassPermissions"];
    const { code, stdout } = await run(["-p", "Go.", ...stream, ...base], {
      interrupt: { at: '"tool_result"', signal: "SIGINT" },
    });
    expect(code).toBe(130);
    const lines = linesOf(stdout);
    expect(lines.at(-1)).toMatchObject({ type: "result", subtype: "error_aborted", is_error: true });
    const path = String(lines[0]?.["transcript_path"]);
    const checked = await run(["transcript", "check", path]);
    expect(checked.code).toBe(0);
    const again = await run(["-p", "Go on.", "--continue", "--json", ...base]);
    expect(again.code).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({ is_error: false });
  });

  it("while a command runs ends the command too", async () => {
    const base = await playing([
      { calls: [call("Bash", { command: "echo $$ > pid; exec sleep 60" })] },
      "Done.",
    ]);
    const { code, stdout } = await run([...FREE, ...base], {
      interrupt: { at: '"tool_use"', signal: "SIGTERM" },
    });
    expect(code).toBe(130);
    expect(linesOf(stdout).at(-1)).toMatchObject({ subtype: "error_aborted" });
    const pidFile = join(folders.work, "pid");
    const pid = existsSync(pidFile) ? Number(await readFile(pidFile, "utf8")) : 0;
    if (pid > 0) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });

  it("while the next prompt is waited for ends the wait", async () => {
    const { code } = await run(["-p", "--input-format", "stream-json", "--output-format", "stream-json"], {
      input: user("one"),
      staysOpen: true,
      interrupt: { at: '"result"', signal: "SIGINT" },
    });
    expect(code).toBe(130);
  });
});

describe("limits and permissions", () => {
  const write = call("Write", { file_path: "a.txt", content: "made" });
  const bash = call("Bash", { command: "touch b.txt" });

  it("ends at --max-turns with exit 1", async () => {
    const base = await playing([
      { calls: [call("Bash", { command: "echo 1" })] },
      { calls: [call("Bash", { command: "echo 2" })] },
      "Done.",
    ]);
    const { code, stdout } = await runHere(["-p", "Go.", "--json", "--max-turns", "1", ...base]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ subtype: "error_max_turns", num_turns: 1 });
  });

  it("denies what nobody can be asked for, and says so", async () => {
    const base = await playing([{ calls: [write, bash] }, "Not allowed."]);
    const { code, stdout } = await runHere(["-p", "Go.", "--json", ...base]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      result: "Not allowed.",
      permission_denials: [
        { tool_name: "Write" },
        { tool_name: "Bash", tool_input: { command: "touch b.txt" } },
      ],
    });
    expect(existsSync(join(folders.work, "a.txt"))).toBe(false);
  });

  it("acceptEdits lets files be written, --allowed-tools commands be run", async () => {
    const base = await playing([{ calls: [write, bash] }, "Done."]);
    const flags = ["--permission-mode", "acceptEdits", "--allowed-tools", "Bash(touch:*)"];
    const { stdout } = await runHere(["-p", "Go.", "--json", ...flags, ...base]);
    expect(JSON.parse(stdout)).toMatchObject({ permission_denials: [] });
    expect(existsSync(join(folders.work, "a.txt"))).toBe(true);
    expect(existsSync(join(folders.work, "b.txt"))).toBe(true);
  });

  it("plan changes nothing and ends with the plan", async () => {
    const base = await playing([
      { calls: [write] },
      { text: "Here it is.", calls: [call("ExitPlanMode", { plan: "1. Write a.txt" })] },
    ]);
    const { code, stdout } = await runHere(["-p", "Plan it.", "--permission-mode", "plan", ...base]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "1. Write a.txt\n" });
    expect(existsSync(join(folders.work, "a.txt"))).toBe(false);
  });

  it.each([
    [["--permission-mode", "sometimes"]],
    [["--max-turns", "0"]],
    [["--output-format", "xml"]],
    [["--resume", "a", "--continue"]],
    [["--no-such-flag"]],
  ])("%j is wrong usage", async (flags) => {
    // One of them through the built command.
    const start = flags.includes("--no-such-flag") ? run : runHere;
    const { code, stdout } = await start(["-p", "Go.", ...flags]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });
});

describe("a key", () => {
  it("that the server refuses is one sentence, and stands nowhere", async () => {
    const key = "sk-ant-secret-0123456789abcdef";
    server = createServer((_, response) => {
      const error = { type: "authentication_error", message: `invalid x-api-key ${key}` };
      response.writeHead(401, { "content-type": "application/json" });
      response.end(JSON.stringify({ type: "error", error }));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const { code, stdout, stderr } = await run(
      ["-p", "Hello", "--output-format", "stream-json", "--base-url", `http://127.0.0.1:${port}`],
      { env: { ANTHROPIC_API_KEY: key } },
    );
    expect(code).toBe(1);
    expect(linesOf(stdout).at(-1)).toMatchObject({ subtype: "error_failed", is_error: true });
    const path = String(linesOf(stdout)[0]?.["transcript_path"]);
    for (const text of [stdout, stderr, await readFile(path, "utf8")]) expect(text).not.toContain(key);
    const plain = await run(["-p", "Hello", "--base-url", `http://127.0.0.1:${port}`], {
      env: { ANTHROPIC_API_KEY: key },
    });
    expect(plain.code).toBe(1);
    expect(plain.stdout).toBe("");
    expect(plain.stderr.trim().split("\n")).toHaveLength(1);
  });

  it("is seen by no command of the agent", async () => {
    const base = await playing([{ calls: [call("Bash", { command: "env" })] }, "Done."]);
    const { stdout } = await run([...FREE, ...base], {
      env: { ANTHROPIC_API_KEY: "sk-ant-secret-0123456789abcdef" },
    });
    expect(stdout).toContain("PATH=");
    expect(stdout).not.toContain("sk-ant-secret");
  });
});
