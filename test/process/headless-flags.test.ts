import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { linesOf, makeFolders, runCommand, type Folders } from "./agent-command.js";
import { startScriptedApi, type ScriptedApi } from "./scripted-api.js";

const everything = fileURLToPath(
  new URL("../../node_modules/@modelcontextprotocol/server-everything/dist/index.js", import.meta.url),
);

let folders: Folders;
let cleanups: (() => unknown)[] = [];
beforeEach(async () => {
  folders = await makeFolders("flags");
  cleanups = [() => folders.remove()];
});
afterEach(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup();
});

async function play(steps: Parameters<typeof startScriptedApi>[0]): Promise<ScriptedApi> {
  const api = await startScriptedApi(steps);
  cleanups.push(api.close);
  return api;
}

const call = (tool: string, input: Readonly<Record<string, unknown>>) => ({ tool, input });
const NO_KEY = { ANTHROPIC_API_KEY: undefined };

describe("a job without a key", () => {
  it("fails with one sentence that says what to do, also where the secret is empty", async () => {
    const { code, stdout, stderr } = await runCommand(folders, ["-p", "Hello"], { ANTHROPIC_API_KEY: "" });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr.trim().split("\n")).toHaveLength(1);
    for (const way of ["ANTHROPIC_API_KEY is empty", "--base-url", "ANTHROPIC_BASE_URL", "--embedded"])
      expect(stderr).toContain(way);
  });

  it("is done by a server on this machine, and the result says who answered", async () => {
    const api = await play(["Done."]);
    const { code, stdout } = await runCommand(folders, ["-p", "Hello", "--json"], {
      ...NO_KEY,
      ANTHROPIC_BASE_URL: api.url,
    });
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({
      code: 0,
      result: "Done.",
      provider: "anthropic",
    });
  });
});

describe("a prompt without -p", () => {
  it("is wrong usage, and is told where prompts go", async () => {
    const { code, stdout, stderr } = await runCommand(folders, ["fix it"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain('palimpsest -p "fix it"');
  });

  it("or nothing at all shows the help where nobody can see a screen", async () => {
    const { code, stdout, stderr } = await runCommand(folders, []);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("Usage: palimpsest");
  });
});

/** The server over SSE, once it listens. */
async function startSseServer(): Promise<string> {
  const probe = createTcpServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  const child = spawn(process.execPath, [everything, "sse"], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { PATH: process.env["PATH"], PORT: String(port) },
  });
  cleanups.push(() => child.kill("SIGKILL"));
  await once(child.stderr, "data");
  return `http://127.0.0.1:${port}/sse`;
}

describe("the flags of the ecosystem", () => {
  it("name settings, servers and prompts of one's own; init says what the session is made of", async () => {
    const url = await startSseServer();
    await writeFile(
      join(folders.work, ".mcp.json"),
      JSON.stringify({ mcpServers: { left: { command: "/nowhere/at/all" } } }),
    );
    await mkdir(join(folders.work, ".claude", "skills", "tidy"), { recursive: true });
    await writeFile(
      join(folders.work, ".claude", "skills", "tidy", "SKILL.md"),
      "---\ndescription: Tidies up.\n---\nTidy up.",
    );
    const settings = join(folders.root, "ci.json");
    await writeFile(settings, JSON.stringify({ env: { FROM_SETTINGS: "yes" }, model: "haiku" }));
    const api = await play([
      { calls: [call("mcp__over_sse__echo", { message: "hello" })] },
      { calls: [call("Bash", { command: "printenv FROM_SETTINGS > seen.txt" })] },
      { calls: [call("Write", { file_path: "a.txt", content: "made" })] },
      "Done.",
    ]);
    // As the ecosystem's SDKs start it: without -p.
    const { code, stdout, stderr } = await runCommand(
      folders,
      [
        ["--output-format", "stream-json", "--verbose", "--base-url", api.url, "--print=Go."],
        ["--settings", settings, "--setting-sources=project"],
        ["--mcp-config", JSON.stringify({ mcpServers: { over_sse: { type: "sse", url } } })],
        ["--strict-mcp-config", "--system-prompt", "You tidy.", "--append-system-prompt", "Be brief."],
        ["--allowedTools", "mcp__over_sse", "Bash", "--disallowedTools", "Write"],
        ["--dangerously-skip-permissions"],
      ].flat(),
      NO_KEY,
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const lines = linesOf(stdout);
    expect(lines[0]).toMatchObject({
      type: "system",
      subtype: "init",
      model: expect.stringContaining("haiku"),
      cwd: folders.work,
      permissionMode: "bypassPermissions",
      apiKeySource: "none",
      provider: "anthropic",
      mcp_servers: [{ name: "over_sse", status: "connected" }],
      slash_commands: ["clear", "clear-results", "compact", "context", "cost", "undo", "tidy"],
      agents: expect.arrayContaining(["general", "explore"]),
      tools: expect.arrayContaining(["Read", "ToolSearch"]),
      session_id: expect.any(String),
    });
    expect(stdout).toContain("Echo: hello");
    expect(lines.at(-1)).toMatchObject({
      subtype: "success",
      permission_denials: [{ tool_name: "Write" }],
    });
    expect(await readFile(join(folders.work, "seen.txt"), "utf8")).toBe("yes\n");
    const system = api.bodies[0]?.system?.map(({ text }) => text).join("\n") ?? "";
    expect(system).toMatch(/^You tidy\./);
    expect(system).toMatch(/Be brief\.$/);
    expect(system).not.toContain("You are Palimpsest");
  });

  it("tell on stderr what is done, where that is asked for; bad settings are one sentence", async () => {
    const api = await play([{ calls: [call("Bash", { command: "echo hi" })] }, "Done."]);
    const told = await runCommand(folders, [
      "-p",
      "Go.",
      "--verbose",
      "--base-url",
      api.url,
      "--system-prompt",
      "",
    ]);
    expect(told).toMatchObject({ code: 0, stdout: "Done.\n" });
    expect(told.stderr).toMatch(
      /^palimpsest: Bash \{"command":"echo hi"\}\npalimpsest: Bash is done after \d+ ms\n$/,
    );
    const bad = await runCommand(folders, [
      "-p",
      "Go.",
      "--embedded",
      "--settings",
      '{"permissions":{"deny":["Bash("]}}',
    ]);
    expect(bad).toMatchObject({ code: 1, stdout: "" });
    expect(bad.stderr).toMatch(/^palimpsest: --settings: permissions\.deny\[0\]: [^\n]+\n$/);
  });
});

describe("a proxy", () => {
  it("is what calls to the provider go through, with its password, which nobody sees", async () => {
    const api = await play([{ calls: [call("Bash", { command: "echo hi" })] }, "Done."]);
    const asked: { readonly target: string; readonly password: string | undefined }[] = [];
    const proxy = createServer().listen(0, "127.0.0.1");
    proxy.on("connect", (request: IncomingMessage, client: Duplex) => {
      asked.push({ target: String(request.url), password: request.headers["proxy-authorization"] });
      const upstream = connect(Number(new URL(api.url).port), "127.0.0.1", () => {
        client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
        upstream.pipe(client).pipe(upstream);
      });
      for (const socket of [client, upstream]) socket.on("error", () => upstream.destroy());
    });
    await once(proxy, "listening");
    cleanups.push(() => proxy.close());
    const { port } = proxy.address() as AddressInfo;
    const args = ["-p", "Go.", "--json", "--base-url", "http://api.palimpsest.invalid"];
    const { code, stdout } = await runCommand(folders, args, {
      HTTP_PROXY: `http://me:not-for-anybody@127.0.0.1:${port}`,
      NO_PROXY: "elsewhere.invalid, .palimpsest.invalid:81",
    });
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, result: "Done." });
    expect(new Set(asked.map(({ target }) => target))).toEqual(new Set(["api.palimpsest.invalid:80"]));
    expect(asked[0]?.password).toBe(`Basic ${Buffer.from("me:not-for-anybody").toString("base64")}`);
    expect(stdout).not.toContain("not-for-anybody");
  });
});
