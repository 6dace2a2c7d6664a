import { execFile, spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type {
  AdviceList,
  ConversationList,
  PolicyList,
  WhatIf,
} from "../../packages/palimpsest/src/inspector/contract.js";
import { recordScript } from "../../packages/palimpsest/src/inspector/testing/scripted-recording.js";
import { prose } from "../../packages/palimpsest/src/simulator/testing/client.js";

const main = fileURLToPath(new URL("../../packages/palimpsest/bin/palimpsest.mjs", import.meta.url));
const KEY = "sk-ant-api03-0123456789abcdefghij";
const HOSTILE = "</script><script>alert(1)</script><!--";

let folder = "";
let file = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "palimpsest-inspect-jobs-"));
  file = join(folder, "conversation.jsonl");
  recordScript(file, {
    turns: [
      { asked: `${HOSTILE} The key is ${KEY}.`, said: "I see." },
      ...Array.from({ length: 12 }, (_, at) => ({
        asked: `Question ${at}`,
        calls: [{ name: "Read", input: { file_path: `/src/${at}.ts` }, result: prose(`file ${at}`, 3000) }],
      })),
      { said: "Done." },
    ],
    tools: () => [{ name: "Read", description: "Reads.", input_schema: { type: "object" } }],
    system: () => prose("system", 5000),
    lifetime: "1h",
    withRequests: true,
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const environment = () => ({ ...process.env, HOME: folder, PALIMPSEST_HOME: join(folder, "data") });

async function palimpsest(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const run = promisify(execFile)(process.execPath, [main, ...args], {
    env: environment(),
    maxBuffer: 1 << 26,
  });
  return run.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
}

describe("palimpsest inspect --export", () => {
  it("writes one file with the conversation in it: no key, nothing that could begin a tag, nothing from elsewhere", async () => {
    const out = join(folder, "out.html");
    const { code, stdout } = await palimpsest("inspect", file, "--export", out);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining("without what looks like a key"),
    });
    const html = readFileSync(out, "utf8");
    expect(html).not.toContain(KEY);
    expect(html).not.toContain(HOSTILE);
    expect(html).toContain("default-src 'none'");
    expect(html).not.toContain("connect-src");
    const [, json = "{}"] =
      /<script type="application\/json" id="inspector-data">(.*)<\/script>/.exec(html) ?? [];
    const { answers, leftOut } = JSON.parse(json) as {
      answers: Record<string, unknown>;
      leftOut: string | null;
    };
    expect(leftOut).toBeNull();
    expect(JSON.stringify(answers)).toContain(
      `${JSON.stringify(HOSTILE).slice(1, -1)} The key is [redacted]`,
    );
    expect(Object.keys(answers).filter((path) => path.includes("/blocks/")).length).toBeGreaterThan(10);
    expect(statSync(out).mode & 0o077).toBe(0);
  });

  it("overwrites nothing unless it is told to", async () => {
    const out = join(folder, "out.html");
    const before = statSync(out).mtimeMs;
    const refused = await palimpsest("inspect", file, "--export", out);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("is there already");
    expect(statSync(out).mtimeMs).toBe(before);
    expect((await palimpsest("inspect", file, "--export", out, "--force")).code).toBe(0);
  });

  it("of several conversations asks for one", async () => {
    const other = join(folder, "other.jsonl");
    recordScript(other, {
      turns: [{ asked: "Hi", said: "Hello" }],
      tools: () => [],
      system: () => "You help.",
    });
    const { code, stderr } = await palimpsest("inspect", file, other, "--export", join(folder, "two.html"));
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining("there are 2: name its file"),
    });
  });
});

describe("a running inspector", () => {
  let child: ChildProcess;
  let base = "";
  let token = "";
  beforeAll(async () => {
    child = spawn(process.execPath, [main, "inspect", file, "--no-open"], { env: environment() });
    let printed = "";
    const address = new Promise<string>((resolve, reject) => {
      child.stdout?.on("data", (chunk: Buffer) => {
        printed += chunk.toString();
        const [, found] = /inspecting at (\S+)/.exec(printed) ?? [];
        if (found !== undefined) resolve(found);
      });
      child.once("exit", () => reject(new Error("it ended")));
    });
    const url = new URL(await address);
    base = url.origin;
    token = url.hash.replace("#token=", "");
  });
  afterAll(async () => {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await ended;
  });

  async function ask<Answer>(path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await fetch(`${base}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${token}` },
    });
    return (await response.json()) as Answer;
  }
  const conversation = async (): Promise<string> =>
    (await ask<ConversationList>("/api/conversations")).conversations[0]?.id ?? "";

  it("plays what-ifs in threads, and calls them off", async () => {
    const id = await conversation();
    const { policies } = await ask<PolicyList>("/api/policies");
    expect(policies.map(({ name }) => name)).toContain("palimpsest");
    const body = JSON.stringify({ policy: "palimpsest", window: 30_000 });
    const first = await ask<WhatIf>(`/api/conversations/${id}/what-if`, { method: "POST", body });
    expect(await ask(`/api/conversations/${id}/what-if`, { method: "POST", body })).toMatchObject({
      error: { code: "already_running" },
    });
    const cancelled = await ask<WhatIf>(`/api/what-if/${first.job}`, { method: "DELETE" });
    expect(cancelled.state).toBe("cancelled");
    const second = await ask<WhatIf>(`/api/conversations/${id}/what-if`, { method: "POST", body });
    let now = second;
    while (now.state === "running") {
      await new Promise((resolve) => setTimeout(resolve, 50));
      now = await ask<WhatIf>(`/api/what-if/${second.job}`);
    }
    expect(now).toMatchObject({ state: "done", progress: 1, result: { compactions: expect.any(Number) } });
    expect(now.result?.line.tokens.length).toBeGreaterThan(10);
    expect(now.result?.line.request).toEqual(now.result?.line.tokens.map((_, at) => at));
  });

  it("gives advice, and the conversation as a file", async () => {
    const id = await conversation();
    const { advice } = await ask<AdviceList>(`/api/conversations/${id}/advice`);
    expect(advice.map(({ what }) => what)).toEqual([
      "Let cache entries live five minutes instead of an hour.",
    ]);
    const response = await fetch(`${base}/api/conversations/${id}/export`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(response.headers.get("content-disposition")).toMatch(/^attachment; filename="[\w.-]+\.html"$/);
    expect(await response.text()).toContain('id="inspector-data"');
    expect((await fetch(`${base}/api/conversations/${id}/export`)).status).toBe(403);
  });
});
