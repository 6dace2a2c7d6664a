import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { readFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import {
  createRequestLog,
  createScriptPlayer,
  createSimulator,
  createSimulatorApp,
  startSimulatorServer,
  withSummaries,
  type Player,
} from "../../packages/palimpsest/src/simulator/index.js";
import {
  agentArguments,
  linesOf,
  makeFolders,
  runCommand,
  type Folders,
  type Line,
} from "./agent-command.js";

const everything = fileURLToPath(
  new URL("../../node_modules/@modelcontextprotocol/server-everything/dist/index.js", import.meta.url),
);
const ROUNDS = 12;
/** The answers before which the servers are killed. */
const KILLED_BEFORE = [4, 8];

let cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup();
  cleanups = [];
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** The server over HTTP; it can be killed and comes back by itself, as under a supervisor. */
function superviseHttpServer(
  port: number,
  kind: "streamableHttp" | "sse",
): { readonly kill: () => void; readonly up: Promise<unknown> } {
  let child: ChildProcess;
  let isOver = false;
  const start = (): Promise<unknown> => {
    child = spawn(process.execPath, [everything, kind], {
      stdio: ["ignore", "ignore", "pipe"],
      env: { PATH: process.env["PATH"], PORT: String(port) },
    });
    void once(child, "close").then(() => (isOver ? undefined : start()));
    return once(child.stderr ?? child, "data");
  };
  const up = start();
  cleanups.push(async () => {
    isOver = true;
    child.kill("SIGKILL");
  });
  return { up, kill: () => void child.kill("SIGKILL") };
}

/** `.mcp.json` with every transport; the one over stdio writes down its processes. */
async function configure(
  { work, root }: Folders,
  { port, ssePort }: { readonly port: number; readonly ssePort: number },
): Promise<string> {
  const pids = join(root, "pids");
  const script = `echo $$ >> '${pids}'; exec '${process.execPath}' '${everything}' stdio`;
  await writeFile(
    join(work, ".mcp.json"),
    JSON.stringify({
      mcpServers: {
        local: { command: "/bin/sh", args: ["-c", script] },
        remote: { type: "http", url: `http://127.0.0.1:${port}/mcp` },
        stream: { type: "sse", url: `http://127.0.0.1:${ssePort}/sse` },
      },
    }),
  );
  return pids;
}

/** Says what the script says, and does something before some of its answers. */
function interrupted(inner: Player, before: (answer: number) => void): Player {
  let answers = 0;
  return {
    answer(prompt, memory) {
      before(answers);
      answers += 1;
      return inner.answer(prompt, memory);
    },
  };
}

const resultsIn = (lines: readonly Line[]): readonly string[] =>
  lines.flatMap((line) => {
    const content = (line["message"] as { readonly content?: unknown } | undefined)?.content;
    if (line["type"] !== "user" || !Array.isArray(content)) return [];
    return (content as readonly Line[])
      .filter(({ type }) => type === "tool_result")
      .map((block) => `${block["is_error"] === true ? "error: " : ""}${JSON.stringify(block["content"])}`);
  });

describe("an MCP server from the registry", () => {
  it("over stdio, HTTP and SSE is killed and comes back in the middle of a run: calls succeed, the cache holds", async () => {
    const folders = await makeFolders("mcp");
    cleanups.push(() => folders.remove());
    const port = await freePort();
    const ssePort = await freePort();
    const remotes = [superviseHttpServer(port, "streamableHttp"), superviseHttpServer(ssePort, "sse")];
    await Promise.all(remotes.map(({ up }) => up));
    const pids = await configure(folders, { port, ssePort });
    const killServers = (): void => {
      for (const remote of remotes) remote.kill();
      const newest = readFileSync(pids, "utf8").trim().split("\n").at(-1);
      process.kill(Number(newest), "SIGKILL");
    };
    const steps = Array.from({ length: ROUNDS }, (_, round) => ({
      text: `Round ${round}.`,
      calls: ["local", "remote", "stream"].map((server) => ({
        tool: `mcp__${server}__echo`,
        input: { message: `round ${round} through ${server}` },
      })),
    }));
    const log = createRequestLog();
    const player = createScriptPlayer({ steps, closing: "Every round is done." });
    const app = createSimulatorApp({
      simulator: createSimulator({
        player: interrupted(withSummaries(player), (answer) => {
          if (KILLED_BEFORE.includes(answer)) killServers();
        }),
        startTime: Date.now(),
      }),
      log,
    });
    const server = await startSimulatorServer({ app });
    cleanups.push(() => server.close());

    const { code, stdout, stderr } = await runCommand(folders, [
      "-p",
      "Call every server, round after round.",
      ...agentArguments({ url: server.url }),
    ]);
    const lines = linesOf(stdout);
    expect({ code, stderr, last: lines.at(-1) }).toMatchObject({
      code: 0,
      stderr: "",
      last: { subtype: "success", result: "Every round is done." },
    });
    expect(resultsIn(lines)).toEqual(
      steps.flatMap(({ calls }) =>
        calls.map(({ input }) => expect.stringContaining(`Echo: ${input.message}`)),
      ),
    );
    expect((await readFile(pids, "utf8")).trim().split("\n")).toHaveLength(1 + KILLED_BEFORE.length);

    // The cache holds through all of it, says the agent, and so says the API.
    expect(lines.filter(({ subtype }) => subtype === "cache_break")).toEqual([]);
    const records = log.since(0);
    expect(records.flatMap(({ error }) => (error === null ? [] : [error.message]))).toEqual([]);
    const misses = records.slice(1).filter(({ verdict }) => verdict === null || verdict.cacheRead === 0);
    expect(misses).toEqual([]);
  });
});
