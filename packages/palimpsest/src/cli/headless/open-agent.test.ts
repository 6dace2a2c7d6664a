import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openAgent, type AgentFlags } from "./open-agent.js";
import { print, type PrintFlags } from "./print.js";

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "palimpsest-open-"));
  await mkdir(join(root, "work"));
});
afterEach(() => rm(root, { recursive: true, force: true, maxRetries: 5 }));

const env = (more: object = {}) => ({ HOME: root, PALIMPSEST_HOME: join(root, "data"), ...more });

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

async function run(flags: Partial<PrintFlags>, more: object = {}) {
  let stdout = "";
  let stderr = "";
  const code = await print(
    {
      prompt: "Hello",
      outputFormat: "text",
      inputFormat: "text",
      cwd: join(root, "work"),
      embedded: true,
      ...flags,
    },
    {
      terminal: {
        stdout: { write: (text) => (stdout += text) },
        stderr: { write: (text) => (stderr += text) },
        env: env(more),
      },
      stdin: Readable.from([]),
      signal: new AbortController().signal,
    },
  );
  return { code, stdout, stderr };
}

it("a branch needs something to branch off, and a pin something to pin", async () => {
  expect(await run({ branch: true })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--branch needs"),
  });
  expect(await run({ prompt: "", pin: true, continue: true })).toMatchObject({
    code: 2,
    stderr: "palimpsest: --pin needs a prompt\n",
  });
  expect(await run({ prompt: "", pin: true, inputFormat: "stream-json" })).toMatchObject({ code: 2 });
  expect(await readdir(root)).toEqual(["work"]);
});

async function open(flags: AgentFlags, more: object = {}) {
  const sink = { write: () => {} };
  return openAgent(
    { cwd: join(root, "work"), embedded: true, ...flags },
    {
      terminal: { stdout: sink, stderr: sink, env: env(more) },
      source: "sdk",
      onNotice: () => {},
    },
  );
}

describe("what cannot be started", () => {
  const failures: readonly (readonly [string, Partial<PrintFlags>, string | undefined])[] = [
    ["settings that are no JSON", {}, "{ not json"],
    ["settings with a wrong value", {}, '{"permissions":{"defaultMode":"sometimes"}}'],
    ["a rule that is none", { allowedTools: ["Bash("] }, undefined],
    ["a directory that is not there", { cwd: "/nowhere/at/all" }, undefined],
    ["a conversation that is not there", { resume: "11111111-1111-4111-8111-111111111111" }, undefined],
    ["an id that is a path", { resume: "../../etc/passwd" }, undefined],
    ["nothing to continue", { continue: true }, undefined],
    ["no key", { embedded: false }, undefined],
    ["no key for a server elsewhere", { embedded: false, baseUrl: "https://api.invalid" }, undefined],
  ];
  it.each(failures)("%s: one sentence, exit 1", async (_, flags, settings) => {
    if (settings !== undefined) await write("work/.claude/settings.json", settings);
    const { code, stdout, stderr } = await run(flags);
    expect(code).toBe(1);
    expect(stdout).toBe("");
    const lines = stderr.trim().split("\n");
    expect(lines.at(-1)).toMatch(/^palimpsest: \S/);
    expect(stderr).not.toContain("    at ");
    const projects = await readdir(join(root, "data", "projects")).catch(() => []);
    for (const project of projects)
      expect(await readdir(join(root, "data", "projects", project))).toEqual([]);
  });
});

describe("openAgent", () => {
  it("takes the model from the flag, the environment, the settings, in this order", async () => {
    await write("work/.claude/settings.json", '{"model":"opus"}');
    const modelOf = async (flags: AgentFlags, more: object = {}): Promise<string> => {
      const { session } = await open(flags, more);
      await session.close();
      return session.conversation.model;
    };
    expect(await modelOf({})).toMatch(/^claude-opus-/);
    expect(await modelOf({}, { ANTHROPIC_MODEL: "haiku" })).toMatch(/^claude-haiku-/);
    expect(await modelOf({ model: "claude-sonnet-4-6" }, { ANTHROPIC_MODEL: "haiku" })).toBe(
      "claude-sonnet-4-6",
    );
  });

  it("says what a person should know", async () => {
    const { session, notices } = await open({ model: "somebody-else-1" });
    await session.close();
    expect(notices).toEqual([expect.stringContaining("somebody-else-1")]);
  });

  it("does not let a project say where requests go", async () => {
    await write("work/.claude/settings.json", '{"env":{"ANTHROPIC_BASE_URL":"http://127.0.0.1:9"}}');
    await expect(open({ embedded: false })).rejects.toThrow("there is no key");
  });

  it("takes an id for a new conversation, once", async () => {
    const { session } = await open({ sessionId: "mine" });
    expect(session.id).toBe("mine");
    await session.close();
    await expect(open({ sessionId: "mine" })).rejects.toThrow("already");
  });

  it("gives kinds of subagents the models that they name", async () => {
    await write(
      "work/.claude/agents/quick.md",
      "---\nname: quick\ndescription: d\nmodel: haiku\n---\nBe quick.",
    );
    const { session } = await open({});
    await session.close();
    const quick = session.subagents.types().find(({ name }) => name === "quick");
    expect(quick?.model).toMatch(/^claude-haiku-/);
  });
});

describe("print", () => {
  it("answers, and shows nothing that could steer a terminal on one", async () => {
    const prompt = "say \u001b[31mred\u001b[0m";
    const plain = await run({ prompt });
    expect(plain).toMatchObject({ code: 0, stdout: expect.stringContaining("You said: say \u001b[31mred") });
    let shown = "";
    await print(
      { prompt, outputFormat: "text", inputFormat: "text", cwd: join(root, "work"), embedded: true },
      {
        terminal: {
          stdout: { isTTY: true, write: (text) => (shown += text) },
          stderr: { write: () => {} },
          env: env(),
        },
        stdin: Readable.from([]),
        signal: new AbortController().signal,
      },
    );
    expect(shown).toContain("You said: say \\u001b[31mred");
  });

  it("puts what is piped in behind the prompt", async () => {
    let stdout = "";
    await print(
      {
        prompt: "Explain:",
        outputFormat: "text",
        inputFormat: "text",
        cwd: join(root, "work"),
        embedded: true,
      },
      {
        terminal: { stdout: { write: (text) => (stdout += text) }, stderr: { write: () => {} }, env: env() },
        stdin: Readable.from(["the log\n"]),
        signal: new AbortController().signal,
      },
    );
    expect(stdout).toContain("Explain: the log");
  });
});
