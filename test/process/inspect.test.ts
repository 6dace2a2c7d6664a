import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import type {
  ConversationList,
  ConversationOverview,
  RequestView,
} from "../../packages/palimpsest/src/inspector/contract.js";
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

async function inspect(args: readonly string[]) {
  const { address, stop } = await start(["inspect", "--no-open", ...args], "inspecting at");
  const [, origin = "", token = ""] = /^(http:\/\/127\.0\.0\.1:\d+)\/#token=([\w-]{32})$/.exec(address) ?? [];
  const get = async <Answer>(path: string): Promise<Answer> => {
    const response = await fetch(`${origin}${path}`, { headers: { authorization: `Bearer ${token}` } });
    expect(response.status).toBe(200);
    return (await response.json()) as Answer;
  };
  return { origin, get, stop };
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
