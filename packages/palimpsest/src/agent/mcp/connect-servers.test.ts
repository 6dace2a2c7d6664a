import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { ToolDefinition } from "@palimpsest/core";
import { createMemoryReadState } from "@palimpsest/core/restore";
import { findProblems } from "@palimpsest/core/validity";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { AgentTool, ToolOutput } from "../base/tool.js";
import { connectServers, type McpOptions, type McpServers } from "./connect-servers.js";
import type { McpServerConfig } from "./server-config.js";

const fixture = fileURLToPath(new URL("./testing/fixture-server.mjs", import.meta.url));
const everything = fileURLToPath(
  new URL(
    "../../../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js",
    import.meta.url,
  ),
);

let folder: string;
const open: McpServers[] = [];
const children: ChildProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "mcp-"));
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((servers) => servers.close()));
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

const stdio = (mode: string, name = mode): McpServerConfig => ({
  name,
  transport: {
    kind: "stdio",
    command: process.execPath,
    args: [fixture, mode, join(folder, `${name}.pids`)],
  },
});

const PATIENT = 900_000;

function connect(configs: readonly McpServerConfig[], options: Partial<McpOptions> = {}): McpServers {
  const servers = connectServers(configs, {
    cwd: folder,
    spill: { fit: async (text) => (text.length > 50_000 ? `${text.slice(0, 100)} […]` : text) },
    // What has to come may take its time on a busy machine; what must not come is given less by its test.
    startTimeoutMs: PATIENT,
    connectTimeoutMs: PATIENT,
    callTimeoutMs: PATIENT,
    reconnectWaitMs: PATIENT,
    retryMs: 50,
    killGraceMs: 500,
    ...options,
  });
  open.push(servers);
  return servers;
}

const pidsOf = async (name: string): Promise<number[]> =>
  (await readFile(join(folder, `${name}.pids`), "utf8")).trim().split("\n").map(Number);

const toolOf = (servers: McpServers, name: string): AgentTool => {
  const tool = servers.tools().find(({ definition }) => definition.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool;
};

const call = (
  servers: McpServers,
  name: string,
  { input = {}, signal = new AbortController().signal }: { input?: object; signal?: AbortSignal } = {},
): Promise<ToolOutput> =>
  toolOf(servers, name).run(
    { ...input },
    {
      toolUseId: "toolu_1",
      signal,
      now: () => 0,
      readState: createMemoryReadState(),
      touch: () => {},
    },
  );

const until = async (isThere: () => boolean | Promise<boolean>): Promise<void> => {
  for (let tries = 0; tries < 36_000 && !(await isThere()); tries += 1) await sleep(25);
  expect(await isThere()).toBe(true);
};

/** Neither running nor a zombie. */
const isGone = async (pid: number): Promise<boolean> => {
  const status = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  return status === undefined || / [ZX] /.test(status);
};

const problemsOf = (tools: readonly ToolDefinition[]): readonly unknown[] =>
  findProblems({
    model: "claude-sonnet-5-5",
    max_tokens: 100,
    messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
    tools,
  });

it("lists and calls the tools of the reference server over stdio", async () => {
  const servers = connect([
    {
      name: "every thing",
      transport: { kind: "stdio", command: process.execPath, args: [everything, "stdio"] },
    },
  ]);
  await servers.started;
  expect(servers.states()).toMatchObject([{ name: "every thing", state: "ready", reason: "" }]);
  expect(servers.instructions()[0]).toMatchObject({ name: "every thing" });
  const echo = toolOf(servers, "mcp__every_thing__echo");
  expect(echo).toMatchObject({ isMcp: true });
  expect(echo.isReadOnly({})).toBe(true);
  expect(echo.subject({})).toEqual({ kind: "other" });
  expect(echo.definition.input_schema).toMatchObject({ type: "object", required: ["message"] });
  expect(problemsOf(servers.tools().map(({ definition }) => definition))).toEqual([]);

  const said = await call(servers, "mcp__every_thing__echo", { input: { message: "hello" } });
  expect(said).toEqual({ content: "Echo: hello" });
  const image = await call(servers, "mcp__every_thing__get-tiny-image");
  expect(image.content).toMatchObject([
    { type: "text" },
    { type: "image", source: { type: "base64", media_type: "image/png" } },
    { type: "text" },
  ]);
  const wrong = await call(servers, "mcp__every_thing__echo", { input: { message: 7 } });
  expect(wrong.isError).toBe(true);
  const resource = await call(servers, "mcp__every_thing__get-resource-reference", {
    input: { resourceType: "Text", resourceId: 1 },
  });
  expect(resource.content).toContain("[resource demo://resource/dynamic/text/1]");
});

it("keeps a call alive by its progress, and cancels it when it is aborted", async () => {
  const servers = connect([stdio("plain")], { callTimeoutMs: 1000 });
  await servers.started;
  expect(await call(servers, "mcp__plain__slow")).toEqual({ content: "slow and done" });
  const hung = await call(servers, "mcp__plain__hang");
  expect(hung).toMatchObject({ isError: true, content: expect.stringContaining("did not answer in time") });
  const aborting = new AbortController();
  const aborted = call(servers, "mcp__plain__slow", { signal: aborting.signal });
  setTimeout(() => aborting.abort(), 50);
  expect(await aborted).toEqual({ isError: true, content: "The call was cancelled." });
  expect(await call(servers, "mcp__plain__echo", { input: { text: "still here" } })).toEqual({
    content: "still here",
  });
});

it("comes back after it was killed, with the same tools; calls meanwhile wait for it", async () => {
  const servers = connect([stdio("plain")]);
  await servers.started;
  const tools = servers.tools();
  const [pid = 0] = await pidsOf("plain");
  const unsafe = call(servers, "mcp__plain__hang");
  const patience = new AbortController();
  const readable = call(servers, "mcp__plain__hang-readable", { signal: patience.signal });
  // What is answered came after them.
  await call(servers, "mcp__plain__echo", { input: { text: "here" } });
  process.kill(pid, "SIGKILL");
  expect(await unsafe).toMatchObject({
    isError: true,
    content: expect.stringContaining("Nobody knows whether the call took effect"),
  });
  expect(servers.tools()).toBe(tools);
  const other = await call(servers, "mcp__plain__pid");
  expect(Number(other.content)).not.toBe(pid);
  expect(servers.tools()).toBe(tools);
  expect(servers.states()).toMatchObject([{ state: "ready", reason: "" }]);
  // What only reads was sent again, and hangs there too.
  patience.abort();
  expect(await readable).toEqual({ isError: true, content: "The call was cancelled." });
});

it("tells of a server that does not come back, and tries again when it is needed", async () => {
  const servers = connect([stdio("flapping")], { retries: 1, reconnectWaitMs: 5_000 });
  await servers.started;
  await until(() => servers.states()[0]?.state === "failed");
  expect(servers.states()[0]?.reason).toContain("flapping: it exited with code 1");
  const before = (await pidsOf("flapping")).length;
  const output = await call(servers, "mcp__flapping__hang");
  expect(output).toMatchObject({ isError: true, content: expect.stringMatching(/MCP server "flapping"/) });
  await until(async () => (await pidsOf("flapping")).length > before);
});

it("refreshes when the server says that its tools are others", async () => {
  let changes = 0;
  const servers = connect([stdio("plain")], { onChange: () => (changes += 1) });
  await servers.started;
  const before = servers.tools();
  const counted = changes;
  await call(servers, "mcp__plain__grow");
  await until(() => servers.tools().length === before.length + 1);
  expect(changes).toBeGreaterThan(counted);
  expect(servers.tools().slice(0, before.length)).toEqual(before);
  expect(servers.tools()[0]).toBe(before[0]);
});

it("does not wait for slow servers, and names why others failed, without their keys", async () => {
  const servers = connect(
    [
      stdio("silent"),
      { ...stdio("exits"), transport: withKey("exits") },
      { name: "absent", transport: { kind: "stdio", command: "no-such-command-here" } },
      {
        name: "nowhere",
        transport: { kind: "http", url: `http://127.0.0.1:${await freePort()}/mcp?key=my-secret-key` },
      },
      { name: "nonsense", transport: { kind: "http", url: "my-secret-key" } },
      {
        name: "headless",
        transport: {
          kind: "http",
          url: "http://127.0.0.1/",
          headers: { "x-key": "my-secret-key\u4e2d" },
        },
      },
      {
        name: "pointless",
        transport: { kind: "stdio", command: process.execPath, args: ["my-secret-key\0"] },
      },
      stdio("plain"),
    ],
    { startTimeoutMs: 2_000, retries: 1 },
  );
  await servers.started;
  await until(() => servers.states().filter(({ state }) => state === "failed").length === 6);
  await until(() => servers.states().at(-1)?.state === "ready");
  const states = servers.states();
  expect(states.map(({ state }) => state)).toEqual([
    "connecting",
    "failed",
    "failed",
    "failed",
    "failed",
    "failed",
    "failed",
    "ready",
  ]);
  expect(states[1]?.reason).toContain("exited with code 3");
  expect(states[1]?.reason).toContain("[secret]");
  expect(states[2]?.reason).toBe("absent: its command was not found.");
  expect(states[3]?.reason).toContain("cannot be reached");
  expect(states[4]?.reason).toBe("nonsense: its address is not a valid one.");
  expect(states[5]?.reason).toBe("headless: one of its headers cannot be used.");
  expect(states[6]?.reason).toBe("pointless: its command or arguments cannot be used.");
  expect(JSON.stringify(states)).not.toMatch(/secret-value|my-secret-key/);
});

it("takes no more tools than make sense, and closes while a server is still being asked for them", async () => {
  const servers = connect([stdio("many"), stdio("listless")], { startTimeoutMs: 1_500 });
  await servers.started;
  await until(() => servers.states()[0]?.state === "ready");
  const [many, listless] = servers.states();
  expect(many).toMatchObject({ state: "ready", toolCount: servers.tools().length });
  expect(many?.reason).toMatch(/^many: it has too many tools, \d+ of them are left out\.$/);
  expect(JSON.stringify(servers.tools()).length).toBeLessThan(600_000);
  expect(listless).toMatchObject({ state: "connecting" });
  await servers.close();
  expect(servers.states()).toMatchObject([{ state: "closed" }, { state: "closed" }]);
});

const withKey = (mode: string): McpServerConfig["transport"] => ({
  kind: "stdio",
  command: process.execPath,
  args: [fixture, mode, join(folder, `${mode}.pids`)],
  env: { SERVICE_TOKEN: "secret-value-123" },
});

it("leaves no process behind, however stubborn", async () => {
  const names = ["plain", "stubborn", "silent", "parent"];
  const servers = connect(
    names.map((name) => stdio(name)),
    { startTimeoutMs: 1_500 },
  );
  await servers.started;
  await until(async () => (await Promise.all(names.map(pidsOf)).catch(() => undefined)) !== undefined);
  const pids = (await Promise.all(names.map(pidsOf))).flat();
  const [parent = 0] = await pidsOf("parent");
  const childOf = async (): Promise<number> =>
    Number((await readFile(`/proc/${parent}/task/${parent}/children`, "utf8")).trim());
  await until(async () => (await childOf()) > 0);
  const child = await childOf();
  await servers.close();
  expect(servers.states().map(({ state }) => state)).toEqual(names.map(() => "closed"));
  for (const pid of [...pids, child]) await until(() => isGone(pid));
  const output = await call(servers, "mcp__plain__echo");
  expect(output).toMatchObject({ isError: true, content: expect.stringContaining("is not connected") });
});

it("survives what a hostile server sends", async () => {
  const servers = connect([{ name: "ho\u001b[31mstile", transport: withKey("hostile") }], {
    longestMessage: 8_000_000,
  });
  await servers.started;
  const tools = servers.tools();
  const definitions = tools.map(({ definition }) => definition);
  expect(problemsOf(definitions)).toEqual([]);
  for (const { name } of definitions) expect(name).toMatch(/^mcp__[A-Za-z0-9_-]{1,59}$/);
  expect(new Set(definitions.map(({ name }) => name)).size).toBe(definitions.length);
  // oxlint-disable-next-line no-control-regex
  expect(definitions.map(({ description }) => description).join("")).not.toMatch(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/,
  );
  for (const definition of definitions) expect(JSON.stringify(definition).length).toBeLessThan(25_000);
  const schema = (own: string): unknown =>
    definitions.find(({ name }) => name.endsWith(`__${own}`))?.input_schema;
  expect(schema("no-schema")).toEqual({ type: "object", properties: {} });
  expect(schema("wrong-schema")).toEqual({ type: "object", properties: { a: {} } });
  expect(schema("union")).toEqual({
    type: "object",
    properties: { a: {}, k: { type: "string" } },
    required: ["k"],
  });
  expect(schema("wide")).toEqual({ type: "object" });
  const [instructions] = servers.instructions();
  expect(instructions?.description).toMatch(/^Read!+ \[…\]$/);
  expect(instructions?.description.length).toBeLessThan(4_010);

  const named = (own: string): string =>
    definitions.find(({ name }) => name.endsWith(`__${own}`))?.name ?? "";
  expect(await call(servers, named("controls"))).toEqual({ content: "abc\nd\tef\uFFFDg" });
  expect((await call(servers, named("huge"))).content).toMatch(/^y{100} \[…\]$/);
  expect(await call(servers, named("nonsense"))).toMatchObject({
    content: expect.stringContaining("hologram"),
  });
  const images = await call(servers, named("images"));
  expect(images.content).toMatchObject([
    { type: "image", source: { media_type: "image/png" } },
    {
      type: "text",
      text: [
        "[image left out: image/png, 12 bytes]",
        "[image left out: image/png, 2 bytes]",
        "[audio left out: audio/wav, 3 bytes]",
        "[resource file:///a.txt]",
        "inside",
        "[resource file:///b.bin left out: application/octet-stream, 6 bytes]",
        "[link to a resource: file:///c (c): a link]",
      ].join("\n"),
    },
  ]);
  expect(await call(servers, named("fails"))).toEqual({
    isError: true,
    content: "it failed\n[image left out]",
  });
  expect(await call(servers, named("refuses"))).toMatchObject({
    isError: true,
    content: expect.stringContaining("answered with an error: no way"),
  });
  expect(await call(servers, named("leaks"))).toEqual({ content: "the key is [secret]" });
  const endless = await call(servers, named("endless"));
  expect(endless).toMatchObject({
    isError: true,
    content: expect.stringContaining("went away during the call"),
  });
  expect(await call(servers, named("controls"))).toMatchObject({ content: expect.stringContaining("abc") });
});

it("reads past garbage on standard output, and gives servers none of the host's keys", async () => {
  const servers = connect([stdio("garbage")], {
    environment: { ...process.env, ANTHROPIC_API_KEY: "sk-host-key-1234567890" },
  });
  await servers.started;
  expect(servers.states()).toMatchObject([{ state: "ready", toolCount: 7 }]);
  const { content } = await call(servers, "mcp__garbage__env");
  expect(content).toContain("PATH");
  expect(content).not.toContain("sk-host-key");
});

it("speaks HTTP, and finds the server again after a restart", async () => {
  const port = await freePort();
  const server = (): ChildProcess => {
    const child = spawn(process.execPath, [everything, "streamableHttp"], {
      env: { ...process.env, PORT: String(port) },
      stdio: "ignore",
    });
    children.push(child);
    return child;
  };
  const first = server();
  const servers = connect(
    [
      {
        name: "web",
        transport: {
          kind: "http",
          url: `http://127.0.0.1:${port}/mcp`,
          headers: { authorization: "Bearer web-secret-token" },
        },
      },
    ],
    { retryMs: 100, retries: 9000 },
  );
  await until(() => servers.states()[0]?.state === "ready");
  const tools = servers.tools();
  expect(tools.length).toBeGreaterThan(5);
  expect(await call(servers, "mcp__web__echo", { input: { message: "hello" } })).toEqual({
    content: "Echo: hello",
  });
  const long = call(servers, "mcp__web__trigger-long-running-operation", {
    input: { duration: 2, steps: 20 },
  });
  await sleep(300);
  first.kill("SIGKILL");
  await sleep(500);
  server();
  expect(await call(servers, "mcp__web__echo", { input: { message: "again" } })).toEqual({
    content: "Echo: again",
  });
  expect(servers.tools()).toBe(tools);
  // It only reads, so it was sent again to the new server.
  expect((await long).content).toMatch(/^Long running operation completed/);
  expect(JSON.stringify(servers.states())).not.toContain("web-secret-token");
});

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
