import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { agentArguments, environmentOf, makeFolders, type Ended, type Folders } from "./agent-command.js";
import { startScriptedApi } from "./scripted-api.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
let folders: Folders;
let installed = "";

/** An installation with the dependencies that the manifest needs, and none of those that may be left out. */
beforeAll(async () => {
  folders = await makeFolders("without-optional");
  const modules = join(folders.root, "node_modules");
  installed = join(modules, "palimpsest");
  const own = join(root, "packages/palimpsest");
  await mkdir(installed, { recursive: true });
  for (const part of ["package.json", "bin", "dist"]) {
    await cp(join(own, part), join(installed, part), {
      recursive: true,
      filter: (name) => !/\.map$|\.d\.ts$|dist\/(?:cli|replay|bench|soak)$/.test(name),
    });
  }
  const { dependencies } = JSON.parse(await readFile(join(own, "package.json"), "utf8")) as {
    dependencies: object;
  };
  for (const name of Object.keys(dependencies)) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    const beside = join(own, "node_modules", name);
    await symlink(existsSync(beside) ? beside : join(root, "node_modules", name), join(modules, name));
  }
});
afterAll(async () => {
  await rm(installed, { recursive: true, force: true });
  await folders.remove();
});

const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> =>
  promisify(execFile)(process.execPath, args, {
    cwd: folders.work,
    env: { ...environmentOf(folders), ...env },
  }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: unknown) => error as Ended,
  );

it("the agent answers and searches, and says what MCP servers need", async () => {
  await writeFile(join(folders.work, "a.txt"), "a needle here\n");
  await writeFile(
    join(folders.work, ".mcp.json"),
    JSON.stringify({ mcpServers: { local: { command: "/bin/true", args: [] } } }),
  );
  const api = await startScriptedApi([
    { calls: [{ tool: "Grep", input: { pattern: "needle", output_mode: "content" } }] },
    "Found.",
  ]);
  const main = join(installed, "bin/palimpsest.mjs");
  const { code, stdout, stderr } = await run([main, "-p", "find it", ...agentArguments(api)]);
  await api.close();
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stdout).toContain("a.txt:1:a needle here");
  expect(stdout + stderr).toContain(
    "MCP servers need the package @modelcontextprotocol/client, which is not installed: npm install @modelcontextprotocol/client",
  );
});

it("a proxy without what it needs is one sentence", async () => {
  const main = join(installed, "bin/palimpsest.mjs");
  const { code, stderr } = await run([main, "-p", "hello", "--base-url", "https://api.example.invalid"], {
    HTTPS_PROXY: "http://127.0.0.1:9",
  });
  expect(code).not.toBe(0);
  expect(stderr).toContain(
    "calls through a proxy need the package undici, which is not installed: npm install undici",
  );
  expect(stderr).not.toMatch(/\n\s+at /);
});

it("the library calls the API with the copy of the SDK that the command is built with", async () => {
  const program = join(folders.root, "program.mjs");
  await writeFile(
    program,
    `import { createAnthropicProvider } from "palimpsest/providers";
    const provider = createAnthropicProvider({ apiKey: "any", baseURL: process.argv[2] });
    const request = { model: "claude-opus-5", max_tokens: 100, messages: [{ role: "user", content: "hello" }] };
    for await (const output of provider.stream({ request })) if (output.kind === "text") console.log(output.text);`,
  );
  const api = await startScriptedApi(["An answer."]);
  const { code, stdout, stderr } = await run([program, api.url]);
  await api.close();
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("An answer.");
});

it('import "palimpsest" names its entries', async () => {
  const program = join(folders.root, "main.mjs");
  await writeFile(program, 'import "palimpsest";');
  const { code, stderr } = await run([program]);
  expect(code).toBe(1);
  expect(stderr).toContain(
    '"palimpsest" itself exports nothing; import one of its parts: "palimpsest/agent"',
  );
});
