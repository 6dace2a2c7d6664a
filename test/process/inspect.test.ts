import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import type {
  ConversationList,
  ConversationOverview,
  RequestView,
} from "../../packages/palimpsest/src/inspector/contract.js";
import { madeUpExport } from "../../packages/palimpsest/src/replay/testing/made-up-opencode.js";
import { recordScript } from "../../packages/palimpsest/src/inspector/testing/scripted-recording.js";
import { runHere } from "./run-here.js";

const main = fileURLToPath(new URL("../../packages/palimpsest/bin/palimpsest.mjs", import.meta.url));
const home = mkdtempSync(join(tmpdir(), "palimpsest-inspect-"));
const started: ChildProcess[] = [];
afterAll(() => {
  for (const child of started) child.kill("SIGKILL");
  rmSync(home, { recursive: true, force: true });
});

const env = { HOME: home, PATH: process.env["PATH"] ?? "" };

/** Starts the built command and gives what stands after some words on its first line. */
async function start(args: readonly string[], words: string, more: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, [main, ...args], {
    env: { ...env, ...more },
    stdio: ["ignore", "pipe", "pipe"],
  });
  started.push(child);
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (part: string) => (stdout += part));
  child.stderr.setEncoding("utf8").on("data", (part: string) => (stderr += part));
  const ended = once(child, "close");
  while (!stdout.includes("\n")) {
    await Promise.race([once(child.stdout, "data"), ended]);
    if (child.exitCode !== null) throw new Error(`${args.join(" ")} has ended: ${stderr}`);
  }
  expect(stdout).toMatch(new RegExp(`^${words} `));
  const stop = async (): Promise<unknown> => {
    child.kill("SIGINT");
    return (await ended)[0];
  };
  return { address: stdout.slice(words.length + 1).trim(), stop };
}

async function inspect(args: readonly string[], more: NodeJS.ProcessEnv = {}) {
  const { address, stop } = await start(["inspect", "--no-open", ...args], "inspecting at", more);
  const [, origin = "", token = ""] = /^(http:\/\/127\.0\.0\.1:\d+)\/#token=([\w-]{32})$/.exec(address) ?? [];
  const get = async <Answer>(path: string): Promise<Answer> => {
    const response = await fetch(`${origin}${path}`, { headers: { authorization: `Bearer ${token}` } });
    expect(response.status).toBe(200);
    return (await response.json()) as Answer;
  };
  return { origin, token, get, stop };
}

it("shows the conversations of this machine to whoever has the address, and leaves nothing but its index", async () => {
  const folder = join(home, ".claude", "projects", "mine");
  mkdirSync(folder, { recursive: true });
  recordScript(join(folder, "talk.jsonl"), {
    turns: [{ asked: "Mend the parser", said: "Done." }],
    tools: () => [],
    system: () => "You are an agent.",
  });
  const { origin, get, stop } = await inspect([]);
  const { conversations } = await get<ConversationList>("/api/conversations");
  expect(conversations).toMatchObject([
    { agent: "claude-code", title: "Mend the parser", place: "~/.claude/projects/mine/talk.jsonl" },
  ]);
  const overview = await get<ConversationOverview>(`/api/conversations/${conversations[0]?.id}`);
  expect(overview).toMatchObject({ state: "indexed", figures: { requests: 1 } });
  expect((await fetch(`${origin}/api/conversations`)).status).toBe(403);
  expect(
    (await fetch(`${origin}/api/conversations`, { headers: { origin: "http://evil.example" } })).status,
  ).toBe(403);
  expect(await stop()).toBe(0);
  expect(readdirSync(folder)).toEqual(["talk.jsonl"]);
  expect(readdirSync(join(home, ".local", "share", "palimpsest", "inspector"))).toHaveLength(1);
});

it("lists what every known agent keeps on this machine, with what it cost, its size, compactions and breaks", async () => {
  const own = mkdtempSync(join(home, "agents-"));
  const put = (path: string, lines: readonly object[]): void => {
    mkdirSync(dirname(join(own, path)), { recursive: true });
    writeFileSync(join(own, path), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  };
  const script = (asked: string) => ({
    turns: [{ asked, said: "Done." }],
    tools: () => [],
    system: () => "You are an agent.",
  });
  const recorded = (path: string, asked: string, withRequests: boolean): void => {
    mkdirSync(dirname(join(own, path)), { recursive: true });
    recordScript(join(own, path), { ...script(asked), withRequests });
  };
  const timestamp = "2026-11-15T10:00:00.000Z";
  recorded(".local/share/palimpsest/projects/here/own.jsonl", "asked of ours", false);
  recorded(".claude/projects/there/claude.jsonl", "asked of Claude Code", false);
  recorded("kept/gateway-1.jsonl", "asked through a gateway", true);
  const noted = join(own, ".local/share/palimpsest/gateway-recordings.json");
  writeFileSync(noted, JSON.stringify([join(own, "kept")]));
  put(".codex/sessions/2026/11/15/rollout-1.jsonl", [
    { timestamp, type: "session_meta", payload: { id: "c" } },
    { timestamp, type: "turn_context", payload: { model: "gpt-5.5" } },
    {
      timestamp,
      type: "response_item",
      payload: { type: "message", role: "user", content: [{ type: "input_text", text: "asked of Codex" }] },
    },
    { timestamp, type: "event_msg", payload: { type: "user_message", message: "asked of Codex" } },
    {
      timestamp,
      type: "response_item",
      payload: { type: "message", role: "assistant", content: [{ type: "output_text", text: "Done." }] },
    },
    {
      timestamp,
      type: "event_msg",
      payload: {
        type: "token_count",
        info: {
          last_token_usage: { input_tokens: 90, cached_input_tokens: 40, output_tokens: 5, total_tokens: 95 },
        },
      },
    },
  ]);
  put(".pi/agent/sessions/--here--/pi.jsonl", [
    { type: "session", id: "p", timestamp, cwd: "/here" },
    { type: "message", timestamp, message: { role: "user", content: "asked of pi" } },
    {
      type: "message",
      timestamp,
      message: {
        role: "assistant",
        api: "anthropic-messages",
        model: "claude-opus-4-5",
        content: [{ type: "text", text: "Done." }],
        usage: { input: 10, output: 2, cacheRead: 3, cacheWrite: 4 },
        stopReason: "stop",
      },
    },
  ]);
  put(".gemini/tmp/h/chats/session-1.json", [
    {
      sessionId: "g",
      projectHash: "h",
      startTime: timestamp,
      lastUpdated: timestamp,
      messages: [
        { id: "1", type: "user", timestamp, content: "asked of Gemini" },
        {
          id: "2",
          type: "gemini",
          timestamp,
          content: "Done.",
          model: "gemini-2.5-flash",
          tokens: { input: 100, output: 10, cached: 60, thoughts: 5, tool: 0, total: 115 },
        },
      ],
    },
  ]);
  const { get, stop } = await inspect([], { HOME: own });
  const listed = async () => (await get<ConversationList>("/api/conversations")).conversations;
  await expect.poll(async () => (await listed()).filter(({ state }) => state === "indexed").length).toBe(6);
  const conversations = await listed();
  expect(conversations.map(({ agent, title }) => `${agent}: ${title}`).toSorted()).toEqual([
    "claude-code: asked of Claude Code",
    "codex: asked of Codex",
    "gateway: asked through a gateway",
    "gemini: asked of Gemini",
    "palimpsest: asked of ours",
    "pi: asked of pi",
  ]);
  for (const { agent, figures, bytes } of conversations) {
    expect([agent, figures?.requests, figures?.compactions, figures?.breaks]).toEqual([agent, 1, 0, 0]);
    expect(bytes).toBeGreaterThan(100);
    expect(figures?.tokens).toBeGreaterThan(10);
    if (agent !== "codex" && agent !== "gemini") expect(figures?.cost).toBeGreaterThan(0);
  }
  expect(await stop()).toBe(0);
});

it("shows an export of OpenCode that is named", async () => {
  const { get, stop } = await inspect([named("exported.json", JSON.stringify(madeUpExport()))]);
  const { conversations } = await get<ConversationList>("/api/conversations");
  expect(conversations).toMatchObject([{ agent: "opencode", title: expect.stringMatching(/./) as string }]);
  const overview = await get<ConversationOverview>(`/api/conversations/${conversations[0]?.id}`);
  expect(overview.figures?.requests).toBeGreaterThan(0);
  expect(await stop()).toBe(0);
});

it("answers nobody who comes under another name, whatever the page is", async () => {
  const file = named("talk.jsonl", "");
  recordScript(file, { turns: [{ asked: "Hi", said: "Hello" }], tools: () => [], system: () => "You help." });
  const { origin, token, stop } = await inspect([file]);
  const statusFor = async (path: string, headers: Readonly<Record<string, string>>): Promise<number> => {
    const asked = request(`${origin}${path}`, { headers }).end();
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    response.resume();
    return response.statusCode ?? 0;
  };
  const authorization = `Bearer ${token}`;
  const { port } = new URL(origin);
  expect([
    await statusFor("/api/conversations", { authorization }),
    await statusFor("/", {}),
    await statusFor("/api/conversations", { authorization, host: `rebound.example:${port}` }),
    await statusFor("/", { host: `rebound.example:${port}` }),
    await statusFor("/api/conversations", { authorization, origin: "http://rebound.example" }),
    await statusFor("/api/events", { authorization, host: "rebound.example" }),
    await statusFor("/api/conversations", { authorization: "Bearer wrong" }),
  ]).toEqual([200, 200, 403, 403, 403, 403, 403]);
  expect(await stop()).toBe(0);
});

it("--gateway: the requests of a running gateway, as they were sent", async () => {
  const simulator = await start(["simulate", "--player", "echo"], "listening on");
  const folder = join(home, "recorded");
  const gateway = await start(
    ["gateway", "--upstream", simulator.address, "--record", folder],
    "listening on",
  );
  const ask = async (text: string): Promise<void> => {
    const response = await fetch(`${gateway.address}/anthropic/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": "any", "anthropic-version": "2023-06-01", "content-type": "application/json" },
      body: JSON.stringify({
        model: "claude-haiku-4-5",
        max_tokens: 50,
        system: "You are brief.",
        messages: [{ role: "user", content: text }],
      }),
    });
    expect(response.status).toBe(200);
    await response.json();
  };
  await ask("one question");
  const { get, stop } = await inspect(["--gateway", gateway.address]);
  const listed = async () => (await get<ConversationList>("/api/conversations")).conversations;
  await expect.poll(listed).toMatchObject([{ agent: "gateway", title: "one question" }]);
  const [first] = await listed();
  const view = await get<RequestView>(`/api/conversations/${first?.id}/requests/0`);
  expect(view).toMatchObject({
    source: "recorded",
    blocks: [{ kind: "system", preview: "You are brief." }, { kind: "people" }],
  });
  await ask("another question");
  await expect.poll(async () => (await listed()).length).toBe(2);
  expect(await stop()).toBe(0);
  await gateway.stop();
  await simulator.stop();
});

function named(name: string, content: string | Buffer): string {
  const path = join(mkdtempSync(join(home, "named-")), name);
  writeFileSync(path, content);
  return path;
}

it.each([
  ["a binary", () => named("binary.jsonl", Buffer.from([0, 1, 2, 250])), /binary\.jsonl is a binary file/],
  [
    "a folder with only a binary in it",
    () => dirname(named("binary.jsonl", Buffer.from([0, 1, 2, 250]))),
    /binary\.jsonl is a binary file/,
  ],
  ["an empty file", () => named("empty.jsonl", ""), /empty\.jsonl is empty/],
  ["an empty folder", () => mkdtempSync(join(home, "empty-")), /holds no recordings/],
  ["some text", () => named("notes.txt", "Buy milk\n"), /notes\.txt is not a transcript of a known format/],
] as const)(
  "%s: one sentence says that it is no conversation, and nothing is started",
  async (_, make, sentence) => {
    const ended = await runHere(["inspect", make()], env);
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr.trim().split("\n")).toHaveLength(1);
    expect(ended.stderr).toMatch(sentence);
  },
);

it.each([
  [["inspect", "nowhere.jsonl"], 1, /nowhere\.jsonl does not exist/],
  [
    ["inspect", "--gateway", "http://127.0.0.1:1"],
    1,
    /No gateway of this machine answers at http:\/\/127\.0\.0\.1:1/,
  ],
  [["inspect", "--session", "none-of-these"], 1, /there is no conversation none-of-these here/],
  [["inspect", "--port", "99999"], 2, /It is a number from 0 to 65535/],
  [["inspect", "--public-url", "here"], 2, /It is an address/],
] as const)("%j ends with %i and one sentence", async (args, code, sentence) => {
  const ended = await runHere(args, env);
  expect(ended.code).toBe(code);
  expect(ended.stderr).toMatch(sentence);
});
