import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readMcpServers, type ReadMcpServersOptions } from "./mcp-servers.js";
import { describeProblem } from "./settings-error.js";

let cwd: string;
let home: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "mcp-"));
  home = join(cwd, "home");
  await mkdir(home);
});
afterEach(() => rm(cwd, { recursive: true, force: true }));
const put = (path: string, content: unknown) =>
  writeFile(join(cwd, path), typeof content === "string" ? content : JSON.stringify(content));
const read = (more: Partial<ReadMcpServersOptions> = {}) =>
  readMcpServers({ cwd, home, env: { KEY: "sk-secret", EMPTY: "" }, ...more });

describe("servers of .mcp.json", () => {
  it("both transports, with variables", async () => {
    await put(".mcp.json", {
      mcpServers: {
        files: { command: "npx", args: ["-y", "${NAME:-server}", "${EMPTY:-x}"], env: { TOKEN: "${KEY}" } },
        web: { type: "http", url: "https://a.org/${EMPTY}mcp", headers: { Authorization: "Bearer ${KEY}" } },
        off: { command: "x", disabled: true },
      },
    });
    const { servers, problems } = await read();
    expect(problems).toEqual([]);
    expect(servers.map(({ name, transport }) => ({ name, transport }))).toEqual([
      {
        name: "files",
        transport: {
          kind: "stdio",
          command: "npx",
          args: ["-y", "server", "x"],
          env: { TOKEN: "sk-secret" },
        },
      },
      {
        name: "web",
        transport: { kind: "http", url: "https://a.org/mcp", headers: { Authorization: "Bearer sk-secret" } },
      },
    ]);
  });

  it("bad entries are told of without their values, the others load", async () => {
    await put(".mcp.json", {
      mcpServers: {
        good: { command: "x" },
        a: "sk-value",
        b: { command: 5 },
        c: { command: "x", args: "sk-value" },
        d: { command: "x", env: { T: 1 } },
        e: { url: "file:///sk-value" },
        f: { type: "sse", url: "https://x" },
        g: { url: "https://x", headers: { A: "${NOT_SET}" } },
        "h\u001b[2J": { command: "x" },
        i: {},
      },
    });
    const { servers, problems } = await read();
    expect(servers.map(({ name }) => name)).toEqual(["good"]);
    const text = problems.map(describeProblem).join("\n");
    expect(problems).toHaveLength(9);
    expect(text).not.toMatch(/sk-|\u001b/);
    expect(text).toContain("mcpServers.g.headers.A: the variable NOT_SET is not set");
    expect(text).toContain("mcpServers.f.type: servers of this type cannot be used; allowed: stdio, http");
  });

  it("the nearer server of a name counts; a repository can be left out", async () => {
    const one = (command: string) => ({ mcpServers: { one: { command } } });
    await put("home/.claude.json", { ...one("user"), projects: { [cwd]: one("local") }, history: ["x"] });
    await put(".mcp.json", one("project"));
    const command = async (more: Partial<ReadMcpServersOptions> = {}) =>
      (await read(more)).servers.map(({ transport }) => transport.kind === "stdio" && transport.command);
    expect(await command()).toEqual(["local"]);
    await put("home/.claude.json", one("user"));
    expect(await command()).toEqual(["project"]);
    expect(await command({ sources: ["user"] })).toEqual(["user"]);
    const settings = { path: "s", base: "", content: one("settings") };
    expect(await command({ sources: ["user"], files: [{ ...settings, source: "user" }] })).toEqual([
      "settings",
    ]);
    expect(await command({ files: [{ ...settings, source: "project" }] })).toEqual(["project"]);
  });

  it("broken JSON is a problem with its place, and nothing else is lost", async () => {
    await put(".mcp.json", '{"mcpServers": {"a": {"command": "sk-secret",}}}');
    await put("home/.claude.json", { mcpServers: { a: { command: "x" } } });
    const { servers, problems } = await read();
    expect(servers).toHaveLength(1);
    expect(problems.map(describeProblem).join()).toMatch(/\.mcp\.json: line 1, column 46/);
    expect(problems.map(describeProblem).join()).not.toContain("sk-secret");
  });
});
