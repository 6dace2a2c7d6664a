import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { lstat, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTcpServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  createEchoPlayer,
  createSimulator,
  createSimulatorApp,
  startSimulatorServer,
  type SimulatorServer,
} from "../../packages/palimpsest/src/simulator/index.js";
import type { ConversationList, RequestView } from "../../packages/palimpsest/src/inspector/contract.js";
import { environmentOf, makeFolders, runCommand, type Folders } from "./agent-command.js";
import { AGENT, locksOf, proxyOf, STREAMING_AGENT, STREAMING_UPSTREAM } from "./gateway-stage.js";
import { startPty } from "./pty-terminal.js";
import { keys } from "./screen-terminal.js";
import { runHere } from "./run-here.js";

const main = fileURLToPath(new URL("../../packages/palimpsest/bin/palimpsest.mjs", import.meta.url));

const noLimits = spawnSync("prlimit", ["--version"]).status !== 0;

let folders: Folders;
let simulator: SimulatorServer;
const running: ChildProcess[] = [];

const simulate = (port = 0): Promise<SimulatorServer> =>
  startSimulatorServer({
    app: createSimulatorApp({ simulator: createSimulator({ player: createEchoPlayer() }) }),
    port,
  });

beforeEach(async () => {
  folders = await makeFolders("gateway");
  simulator = await simulate();
});
afterEach(async () => {
  for (const child of running.splice(0)) child.kill("SIGKILL");
  await simulator.close();
  await folders.remove();
});

interface Started {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly ask: (text: string) => Promise<string>;
  readonly nextLine: () => Promise<string>;
  readonly end: () => Promise<{ readonly code: number | null; readonly stderr: string }>;
  readonly ended: Promise<{ readonly code: number | null; readonly stderr: string }>;
}

/** The gateway with a command, as a person starts it; what is asked goes to the command's stdin. */
function start(args: readonly string[], env: NodeJS.ProcessEnv = {}): Started {
  const child = spawn(process.execPath, [main, "gateway", ...args], {
    cwd: folders.work,
    env: { ...environmentOf(folders), ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  running.push(child);
  const lines: Interface = createInterface(child.stdout);
  const told = lines[Symbol.asyncIterator]();
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, stderr }));
  const nextLine = async (): Promise<string> => String((await told.next()).value ?? `ended: ${stderr}`);
  return {
    child,
    pid: child.pid ?? 0,
    nextLine,
    ask(text) {
      child.stdin.write(`${text}\n`);
      return nextLine();
    },
    end() {
      child.stdin.end();
      return ended;
    },
    ended,
  };
}

const withAgent = (...args: readonly string[]): readonly string[] => [
  "--upstream",
  simulator.url,
  ...args,
  "--",
  process.execPath,
  "-e",
  AGENT,
];

const statsOf = async (): Promise<Record<string, number>> =>
  (await (await fetch(`${simulator.url}/__sim/stats`)).json()) as Record<string, number>;

const figuresOf = ({
  requests,
  input,
  cacheRead,
  cacheWrite5m,
  cacheWrite1h,
  output,
  cost,
}: Record<string, number>) => ({
  requests,
  usage: { input, cacheRead, cacheWrite5m, cacheWrite1h, output },
  cost: expect.closeTo(cost ?? 0, 10) as number,
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const receiptIn = async (path: string): Promise<Record<string, unknown>> =>
  JSON.parse(await readFile(path, "utf8")) as Record<string, unknown>;

describe("palimpsest gateway -- COMMAND", () => {
  it("the command goes through it by its environment alone; exit code and receipt as they should be", async () => {
    const file = join(folders.root, "receipt.json");
    const { ask, nextLine, end } = start(withAgent("--receipt", file), { EXIT_CODE: "7" });
    const [, , url] = (await nextLine()).split(" ");
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/anthropic$/);
    expect(await ask("hello")).toBe("You said: hello");
    expect(await ask("again")).toBe("You said: again");
    const stats = (await (await fetch(`${new URL(url ?? "").origin}/__gateway/stats`)).json()) as object;
    const figures = figuresOf(await statsOf());
    expect(stats).toMatchObject(figures);
    const env = { PALIMPSEST_HOME: folders.data, ANTHROPIC_BASE_URL: url };
    const line = await runHere(["gateway", "status-line"], env);
    expect(line).toEqual({ code: 0, stdout: "$0.00 · 2 requests · 0% from the cache\n", stderr: "" });
    const { code, stderr } = await end();
    expect(code).toBe(7);
    expect(stderr).toContain("palimpsest: gateway (observe): 2 requests, all passed on byte for byte\n");
    expect(stderr).toMatch(
      /palimpsest: cost \$0\.\d{4}, by the usage that the API reported\npalimpsest: what if: palimpsest \$[^\n]+\n$/,
    );
    const receipt = await receiptIn(file);
    expect(receipt).toMatchObject({
      ...figures,
      whatIf: { palimpsest: expect.any(Number), classic: expect.any(Number) },
      identical: 2,
      errors: 0,
      lost: 0,
      mode: "observe",
    });
    // Each of its two conversations was played, and nothing was waited for in vain.
    expect(receipt["whatIfOf"]).toEqual(expect.objectContaining({ conversations: 2, leftOut: {} }));
    expect((await stat(file)).mode & 0o077).toBe(0);
    expect(await locksOf(folders)).toEqual([]);
    expect((await runHere(["gateway", "status-line"], env)).stdout).toBe("");
  });

  it("kill -9 of the proxy: it is back on its port, the next request works, and nothing counts twice", async () => {
    const file = join(folders.root, "receipt.json");
    const { pid, ask, nextLine, end } = start(withAgent("--receipt", file));
    const [, , url = ""] = (await nextLine()).split(" ");
    expect(await ask("one")).toBe("You said: one");
    const statsNow = async (): Promise<object> =>
      (await (await fetch(`${new URL(url).origin}/__gateway/stats`)).json()) as object;
    for (const text of ["two", "three"]) {
      // What is over is read and told by now.
      await statsNow();
      const before = proxyOf(pid);
      process.kill(before ?? 0, "SIGKILL");
      expect(await ask(text)).toBe(`You said: ${text}`);
      expect(proxyOf(pid)).not.toBe(before);
    }
    // A proxy is told what those before it have seen.
    expect(await statsNow()).toMatchObject({ requests: 3 });
    expect((await end()).code).toBe(0);
    const receipt = await receiptIn(file);
    expect(receipt).toMatchObject({ ...figuresOf(await statsOf()), requests: 3, identical: 3 });
    // What another proxy sees has a name of its own.
    expect(Object.keys(receipt["conversationCosts"] ?? {})).toEqual(
      [1, 2, 3].map((at) => `conversation-${at}`),
    );
    expect(Object.keys(receipt["laneCosts"] ?? {})).toEqual([1, 2, 3].map((at) => `lane-${at}`));
  });

  it("kill -9 of the proxy in the middle of an answer: what was under way is named", async () => {
    let asked = 0;
    const slow = createServer((_, outgoing) => {
      asked += 1;
      if (asked > 1) return void outgoing.end(JSON.stringify({ content: [{ text: "at last" }] }));
      outgoing.writeHead(200).write("{");
    }).listen(0, "127.0.0.1");
    await once(slow, "listening");
    const upstream = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`;
    const { pid, child, nextLine, end } = start([
      "--upstream",
      upstream,
      "--",
      process.execPath,
      "-e",
      AGENT,
    ]);
    await nextLine();
    child.stdin?.write("hello\n");
    await expect.poll(() => asked).toBe(1);
    process.kill(proxyOf(pid) ?? 0, "SIGKILL");
    expect(await nextLine()).toBe("at last");
    expect((await end()).stderr).toContain(
      "1 request under way when the proxy was started again, perhaps billed",
    );
    slow.closeAllConnections();
    slow.close();
  });

  it("kill -9 of the launcher: the command goes on, and the proxy goes with it and leaves the receipt", async () => {
    const file = join(folders.root, "receipt.json");
    const waits =
      "const parent = process.ppid; const ask = (text) => fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', { method: 'POST'," +
      " headers: { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' }, body: JSON.stringify({ model: 'claude-haiku-4-5'," +
      " max_tokens: 5, messages: [{ role: 'user', content: text }] }) }).then((response) => response.text());" +
      "ask('one').then(() => { console.log(process.env.ANTHROPIC_BASE_URL); const timer = setInterval(() => { if (process.ppid ===" +
      " parent) return; clearInterval(timer); void ask('two').then(() => process.exit(0)); }, 50) })";
    const args = ["--upstream", simulator.url, "--receipt", file, "--", process.execPath, "-e", waits];
    const { pid, nextLine } = start(args);
    await nextLine();
    const proxy = proxyOf(pid) ?? 0;
    process.kill(pid, "SIGKILL");
    await expect.poll(() => isAlive(proxy)).toBe(false);
    expect(await receiptIn(file)).toMatchObject({ ...figuresOf(await statsOf()), requests: 2 });
  });

  it("kill -9 of the upstream: the client is told, and the next request works once it is back", async () => {
    const port = Number(new URL(simulator.url).port);
    const { child, ask, nextLine, end } = start(withAgent());
    await nextLine();
    expect(await ask("one")).toBe("You said: one");
    await simulator.close();
    child.stdin?.write("two\n");
    simulator = await simulate(port);
    expect(await nextLine()).toBe("You said: two");
    expect((await end()).code).toBe(0);
  });

  it("kill -9 of upstream, proxy and launcher, each in the middle of an answer: the conversation goes on, and nothing is written twice", async () => {
    const startUpstream = async (given = "0"): Promise<{ child: ChildProcess; port: string }> => {
      const child = spawn(process.execPath, ["-e", STREAMING_UPSTREAM, given], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      running.push(child);
      const [port] = (await once(createInterface(child.stdout), "line")) as [string];
      return { child, port };
    };
    const first = await startUpstream();
    const folder = join(folders.root, "recorded");
    const file = join(folders.root, "receipt.json");
    const args = ["--upstream", `http://127.0.0.1:${first.port}`, "--record", folder, "--receipt", file];
    const { pid, ask, nextLine } = start([...args, "--", process.execPath, "-e", STREAMING_AGENT]);
    const [, , url = ""] = (await nextLine()).split(" ");
    const proxy = proxyOf(pid) ?? 0;

    expect(await ask("one, whose upstream dies")).toBe("begins");
    first.child.kill("SIGKILL");
    await startUpstream(first.port);
    expect(await nextLine()).toBe("begins");
    expect(await nextLine()).toBe("You said: one, whose upstream dies");
    // What is over is read and told by now: it would die with the proxy.
    await fetch(`${new URL(url).origin}/__gateway/stats`);

    expect(await ask("two, whose proxy dies")).toBe("begins");
    process.kill(proxy, "SIGKILL");
    expect(await nextLine()).toBe("begins");
    expect(await nextLine()).toBe("You said: two, whose proxy dies");
    const second = proxyOf(pid) ?? 0;
    expect(second).not.toBe(proxy);

    expect(await ask("three, whose launcher dies")).toBe("begins");
    process.kill(pid, "SIGKILL");
    // It comes to its end: nothing begins anew.
    expect(await nextLine()).toBe("You said: three, whose launcher dies");
    // The command's input has ended with the launcher.
    expect([await nextLine(), await nextLine()]).toEqual(["begins", "You said: goodbye"]);
    await expect.poll(() => isAlive(second)).toBe(false);

    // Four answers that came to their ends, and what the one had said that did not; that of the dead proxy nobody knows.
    const { requests, errorTypes, ...receipt } = await receiptIn(file);
    const { "upstream not reached": unreached = 0, ...errors } = errorTypes as Record<string, number>;
    expect(errors).toEqual({ "cut off by the upstream": 1 });
    expect(Number(requests) - unreached).toBe(6);
    expect(receipt).toMatchObject({
      lost: 1,
      usage: { input: 15 + 15 + 25 + 35 + 45, output: 1 + 4 * 7 },
    });
    const [name = "", ...others] = await readdir(join(folder, "local"));
    expect(others).toEqual([]);
    const lines = (await readFile(join(folder, "local", name), "utf8"))
      .trimEnd()
      .split("\n")
      .map(
        (line) =>
          JSON.parse(line) as { type: string; uuid?: string; id?: string; message?: { content: unknown } },
      );
    const said = lines.flatMap(({ message }) =>
      message === undefined
        ? []
        : typeof message.content === "string"
          ? [message.content]
          : (message.content as { text: string }[]).map(({ text }) => text),
    );
    const words = [
      "one, whose upstream dies",
      "two, whose proxy dies",
      "three, whose launcher dies",
      "goodbye",
    ];
    expect(said).toEqual(words.flatMap((text) => [text, `You said: ${text}`]));
    const names = lines.map(({ type, uuid, id }) => `${type} ${uuid ?? id}`);
    expect(new Set(names).size).toBe(names.length);
    // With the one that broke off; that of the dead proxy is not in it.
    expect(lines.filter(({ type }) => type === "request")).toHaveLength(5);
  });

  it("kill -9 of the proxy before it listens: another one does", async () => {
    const { pid, ask, nextLine, end } = start(withAgent());
    await expect.poll(() => proxyOf(pid), { interval: 1 }).toBeDefined();
    process.kill(proxyOf(pid) ?? 0, "SIGKILL");
    await nextLine();
    expect(await ask("one")).toBe("You said: one");
    expect((await end()).code).toBe(0);
  });

  it("kill -9 of the client: the upstream hears of it", async () => {
    let closed: Promise<unknown> | undefined;
    const upstream = await serve((_, outgoing) => {
      closed = once(outgoing, "close");
      outgoing.writeHead(200, { "content-type": "text/event-stream" }).write(": here\n\n");
    });
    const { nextLine, child } = start(["--upstream", upstream.url, "--", process.execPath, "-e", AGENT]);
    const [, agent] = (await nextLine()).split(" ");
    child.stdin?.write("hello\n");
    await expect.poll(() => closed !== undefined).toBe(true);
    process.kill(Number(agent), "SIGKILL");
    await closed;
    await upstream.close();
  });

  it("a signal to the gateway is one to the command; one that ends the command is said as shells do", async () => {
    const trap =
      "process.on('SIGTERM', () => process.exit(42)); console.log('up'); setInterval(() => {}, 1000)";
    const polite = start(["--upstream", simulator.url, "--", process.execPath, "-e", trap]);
    await polite.nextLine();
    process.kill(polite.pid, "SIGTERM");
    expect((await polite.ended).code).toBe(42);
    const plain = start(["--upstream", simulator.url, "--", "sh", "-c", "echo up; kill -USR1 $$"]);
    expect((await plain.ended).code).toBe(128 + 10);
  });

  it("the terminal is the command's, and Ctrl-C reaches it once", async () => {
    const program =
      "let n = 0; process.on('SIGINT', () => { n += 1; setTimeout(() => { console.log('heard ' + n); process.exit(5); }, 300); });" +
      "console.log('tty', process.stdin.isTTY, process.stdout.isTTY, process.stdout.columns); setInterval(() => {}, 1000)";
    const args = ["gateway", "--upstream", simulator.url, "--", process.execPath, "-e", program];
    const pty = startPty(folders, { args, columns: 91 });
    await pty.until("tty true true 91");
    pty.type(keys.controlC);
    await pty.until("heard 1");
    expect((await pty.ended).exitCode).toBe(5);
    expect(pty.all()).toContain("palimpsest: gateway (observe): 0 requests");
    expect(pty.all()).toContain("palimpsest: nothing came through: ");
  });

  it("nothing connects to anything but the upstream, and nothing asks for a name", async () => {
    const log = join(folders.root, "connections");
    const hook = join(folders.root, "hook.cjs");
    await writeFile(
      hook,
      `const net = require("node:net"), dns = require("node:dns"), fs = require("node:fs");
      const note = (what) => fs.appendFileSync(${JSON.stringify(log)}, what + "\\n");
      const connect = net.Socket.prototype.connect;
      net.Socket.prototype.connect = function (...args) {
        const [options] = Array.isArray(args[0]) ? args[0] : args;
        note("connect " + (options.host ?? "") + ":" + (options.port ?? options.path ?? options));
        return connect.apply(this, args);
      };
      for (const name of ["lookup", "resolve", "resolve4", "resolve6"]) {
        const real = dns[name];
        dns[name] = (...args) => { note(name + " " + args[0]); return real(...args); };
      }
      note("watching " + process.argv.slice(1, 3).map((text) => text.split("/").pop()).join(" "));`,
    );
    const body = '{"model":"claude-haiku-4-5","max_tokens":5,"messages":[{"role":"user","content":"hi"}]}';
    const asking = `curl -sS "$ANTHROPIC_BASE_URL/v1/messages" -H "x-api-key: k" -H "anthropic-version: 2023-06-01" -d '${body}'`;
    const { code, stdout } = await runCommand(
      folders,
      ["gateway", "--upstream", simulator.url, "--", "sh", "-c", asking],
      { NODE_OPTIONS: `--require ${hook}`, ANTHROPIC_LOG: "debug" },
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("You said: hi") as string });
    const noted = (await readFile(log, "utf8")).trim().split("\n");
    expect(noted).toContain("watching palimpsest.mjs gateway");
    expect(noted.some((line) => line.startsWith("watching proxy-process.js"))).toBe(true);
    const { hostname, port } = new URL(simulator.url);
    const others = noted.filter((line) => !/^(?:watching|lookup 127\.0\.0\.1)/.test(line));
    expect([...new Set(others)]).toEqual([`connect ${hostname}:${port}`]);
  });

  it("--inspect: shows what goes through until it ends, and nothing of it is left", async () => {
    const { child, ask, nextLine, end } = start(withAgent("--inspect"));
    let told = "";
    child.stderr?.on("data", (part: string) => (told += part));
    await nextLine();
    expect(await ask("hello")).toBe("You said: hello");
    const [, folder = ""] = /recorded in (\S+) until the gateway ends, contents and all/.exec(told) ?? [];
    const { origin, hash } = new URL(/inspecting at (\S+)/.exec(told)?.[1] ?? "");
    const headers = { authorization: `Bearer ${hash.slice("#token=".length)}` };
    const get = async <Answer>(path: string): Promise<Answer> =>
      (await (await fetch(`${origin}${path}`, { headers })).json()) as Answer;
    const list = async () => (await get<ConversationList>("/api/conversations")).conversations;
    await expect.poll(list).toMatchObject([{ agent: "gateway", live: true }]);
    const [conversation] = await list();
    const view = await get<RequestView>(`/api/conversations/${conversation?.id}/requests/0?from=0&count=200`);
    expect(view.source).toBe("recorded");
    expect(view.blocks.map(({ preview }) => preview)).toContain("hello");
    await end();
    await expect(stat(folder)).rejects.toThrow("ENOENT");
    await expect(fetch(origin)).rejects.toThrow();
    const remembered = await readFile(join(folders.data, "gateway-recordings.json"), "utf8").catch(() => "");
    expect(remembered).not.toContain(folder);
  });

  it("--record: what was said is read by transcript check and analyze, and said at the start", async () => {
    const folder = join(folders.root, "recorded");
    const { ask, nextLine, end, pid } = start(withAgent("--record", folder));
    const [, , url = ""] = (await nextLine()).split(" ");
    expect(await ask("one")).toBe("You said: one");
    await fetch(`${new URL(url).origin}/__gateway/stats`);
    process.kill(proxyOf(pid) ?? 0, "SIGKILL");
    expect(await ask("two")).toBe("You said: two");
    expect((await end()).stderr).toContain(
      `palimpsest: what is said is recorded in ${folder}, contents and all\n`,
    );
    const files = (await readdir(join(folder, "local"))).map((name) => join(folder, "local", name));
    const checked = await runHere(["transcript", "check", "--json", ...files]);
    expect(JSON.parse(checked.stdout)).toMatchObject({
      files: [
        { format: "claude-code", messages: 2, apiResponses: 1, valid: true },
        { format: "claude-code", messages: 2, apiResponses: 1, valid: true },
      ],
    });
    const analyzed = await runHere(["analyze", "--json", ...files.slice(0, 1)]);
    expect(analyzed).toMatchObject({ code: 0, stdout: expect.stringContaining('"cost"') as string });
  });

  it.skipIf(noLimits)(
    `a disk that is full in the middle of a line and has room again: the recording goes on after it${
      noLimits ? ", where prlimit is installed" : ""
    }`,
    async () => {
      const folder = join(folders.root, "recorded");
      const { ask, nextLine, end, pid } = start(withAgent("--record", folder));
      const [, , url = ""] = (await nextLine()).split(" ");
      /** Once it is told of everything that is over. */
      const said = async (): Promise<void> => {
        expect(await ask("one")).toBe("You said: one");
        await fetch(`${new URL(url).origin}/__gateway/stats`);
      };
      const limit = (bytes: string): unknown =>
        spawnSync("prlimit", ["--pid", String(proxyOf(pid)), `--fsize=${bytes}:unlimited`]).status;
      await said();
      const [name = ""] = await readdir(join(folder, "local"));
      const file = join(folder, "local", name);
      expect(limit(String((await stat(file)).size + 100))).toBe(0);
      await said();
      expect(limit("unlimited")).toBe(0);
      await said();
      expect((await end()).stderr).toContain("palimpsest: not recorded: EFBIG 1\n");
      // The same question three times: of the second answer there is the beginning.
      const read = await runHere(["transcript", "check", "--json", file]);
      expect(JSON.parse(read.stdout)).toMatchObject({ files: [{ messages: 3, apiResponses: 2 }] });
    },
  );

  it("no key is in the receipt, on the terminal, in the lock file or in any file", async () => {
    const key = "sk-ant-oat01-this-is-a-secret-key";
    const file = join(folders.root, "receipt.json");
    const ask = `fetch(process.env.ANTHROPIC_BASE_URL + "/v1/messages", { method: "POST", headers: { authorization: "Bearer ${key}", "anthropic-version": "2023-06-01" }, body: '{"model":"claude-haiku-4-5","max_tokens":5,"messages":[{"role":"user","content":"hi"}]}' }).then((r) => r.text()).then(() => console.log("done"))`;
    const { stderr } = await runCommand(folders, [
      "gateway",
      "--upstream",
      simulator.url,
      "--receipt",
      file,
      "--",
      process.execPath,
      "-e",
      ask,
    ]);
    const receipt = await readFile(file, "utf8");
    expect(JSON.parse(receipt)).toMatchObject({ requests: 1, costIs: "api-equivalent" });
    // Nothing but what the client itself has sent went upstream.
    expect(await statsOf()).toMatchObject({ requests: 1 });
    expect(stderr).toContain("API-equivalent");
    expect(stderr + receipt).not.toContain("secret");
  });
});

describe("palimpsest gateway", () => {
  it("serves until it is stopped; the mode is switched by the lock file's token", async () => {
    const { nextLine, child, ended } = start(["--upstream", simulator.url]);
    const line = await nextLine();
    expect(line).toMatch(/^listening on http:\/\/127\.0\.0\.1:\d+$/);
    const url = line.slice("listening on ".length);
    const [lock] = await locksOf(folders);
    expect(lock).toMatchObject({ url, pid: child.pid });
    expect((await stat(lock?.path ?? "")).mode & 0o077).toBe(0);
    const set = (token: string) =>
      fetch(`${url}/__gateway/mode`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}` },
        body: '{"mode":"off"}',
      });
    expect((await set("wrong")).status).toBe(401);
    expect((await set(lock?.token ?? "")).status).toBe(200);
    // A mode outlives the proxy that was told of it.
    const before = proxyOf(child.pid ?? 0) ?? 0;
    process.kill(before, "SIGKILL");
    await expect
      .poll(() =>
        fetch(`${url}/__gateway/mode`).then(
          (response) => response.json(),
          () => "nobody",
        ),
      )
      .toEqual({ mode: "off" });
    child.kill("SIGTERM");
    const { code, stderr } = await ended;
    expect(code).toBe(0);
    expect(stderr).toBe("palimpsest: gateway (off): 0 requests, all passed on byte for byte\n");
    expect(await locksOf(folders)).toEqual([]);
  });

  it("stopped in the middle of an answer: what it had used by then is on the receipt", async () => {
    const usage = { input_tokens: 100, output_tokens: 1 };
    const beginning = { type: "message_start", message: { model: "claude-haiku-4-5", usage } };
    const upstream = await serve((incoming, outgoing) => {
      incoming.resume();
      outgoing.writeHead(200, { "content-type": "text/event-stream" });
      outgoing.write(`event: message_start\ndata: ${JSON.stringify(beginning)}\n\n`);
    });
    const file = join(folders.root, "receipt.json");
    const { nextLine, child, ended } = start(["--upstream", upstream.url, "--receipt", file]);
    const url = (await nextLine()).slice("listening on ".length);
    const response = await fetch(`${url}/v1/messages`, { method: "POST", body: "{}" });
    const reader = response.body?.getReader();
    await reader?.read();
    child.kill("SIGINT");
    await expect(reader?.read()).rejects.toThrow("terminated");
    const { code, stderr } = await ended;
    expect(code).toBe(0);
    expect(stderr).toContain("palimpsest: 1 error: given up by the client 1\n");
    expect(await receiptIn(file)).toMatchObject({ requests: 1, lost: 0, usage: { input: 100, output: 1 } });
    await upstream.close();
  });

  it("a port in use, a command that is not there: one sentence, exit code 1", async () => {
    const taken = createTcpServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as AddressInfo;
    const busy = await runCommand(folders, ["gateway", "--port", String(port)]);
    taken.close();
    expect(busy).toEqual({
      code: 1,
      stdout: "",
      stderr: `palimpsest: port ${port} of 127.0.0.1 is in use; choose another one, or 0 for any free port\n`,
    });
    expect(await runCommand(folders, ["gateway", "--", "no-such-command"])).toEqual({
      code: 1,
      stdout: "",
      stderr: "palimpsest: the command no-such-command was not found; check its name and PATH\n",
    });
  });

  it.each([
    [["--mode", "active"], {}, "It is one of observe, off."],
    [["--upstream", "ftp://x"], {}, "It is an address, such as https://api.example.com."],
    [["--port", "70000"], {}, "It is a number from 0 to 65535."],
    [
      ["--host", "0.0.0.0"],
      {},
      "palimpsest: --host 0.0.0.0 lets others in: set PALIMPSEST_GATEWAY_TOKEN to a token of at least 16 characters",
    ],
    [[], { PALIMPSEST_GATEWAY_TOKEN: "short" }, "PALIMPSEST_GATEWAY_TOKEN must be 16 or more"],
    [
      ["--upstream", "https://me:secret@api.example.com"],
      {},
      "palimpsest: --upstream is an address without a name and a password in it",
    ],
    [["--", ""], {}, "palimpsest: the command after -- is empty"],
    [["--nonsense"], {}, "unknown option '--nonsense'"],
  ])("wrong usage %j %j exits with 2", async (args, env, sentence) => {
    const { code, stdout, stderr } = await runHere(["gateway", ...args], env);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(sentence);
    expect(stderr).not.toContain("secret");
  });

  it("a receipt that cannot be written is wrong usage before anything is started; a folder that is missing is made", async () => {
    const file = join(folders.root, "a file");
    const started = join(folders.root, "started");
    await writeFile(file, "mine");
    const gateway = (receipt: string) =>
      runHere(
        ["gateway", "--upstream", simulator.url, "--receipt", receipt, "--", "touch", started],
        environmentOf(folders),
      );
    for (const [receipt, reason] of [
      [join(file, "receipt.json"), "its folder must be one that can be written to (EEXIST)"],
      [join(file, "below", "receipt.json"), "its folder must be one that can be written to (ENOTDIR)"],
      [folders.root, "it must be a file, and is a folder"],
    ] as const) {
      const { code, stdout, stderr } = await gateway(receipt);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr.split("\n")[0]).toBe(`palimpsest: --receipt ${receipt}: ${reason}`);
    }
    await expect(stat(started)).rejects.toThrow("ENOENT");
    const pipe = join(folders.root, "pipe");
    spawnSync("mkfifo", [pipe]);
    for (const path of [pipe, "/dev/null", "/dev/stdout"]) {
      const { code, stderr } = await gateway(path);
      expect(code).toBe(2);
      expect(stderr).toBe(`palimpsest: --receipt ${path}: it must be a file, and is a device or a pipe\n`);
    }
    await expect(stat(started)).rejects.toThrow("ENOENT");
    const link = join(folders.root, "link.json");
    await symlink(file, link);
    expect(await runCommand(folders, ["gateway", "--receipt", link, "--", "true"])).toMatchObject({
      code: 0,
    });
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect(await receiptIn(file)).toMatchObject({ requests: 0 });
    const missing = join(folders.root, "not", "there", "receipt.json");
    expect(await runCommand(folders, ["gateway", "--receipt", missing, "--", "true"])).toMatchObject({
      code: 0,
    });
    expect(await receiptIn(missing)).toMatchObject({ requests: 0 });
  });

  it.skipIf(noLimits)(
    `a receipt that the disk has no room for is one sentence; exit code and printed receipt stay, and nothing is left${
      noLimits ? ", where prlimit is installed" : ""
    }`,
    async () => {
      const receipt = join(folders.root, "receipts", "receipt.json");
      // The lock file is shorter, and every receipt longer.
      const limited = ["--fsize=700", process.execPath, main, "gateway", "--upstream", simulator.url];
      const child = spawn(
        "prlimit",
        [...limited, "--receipt", receipt, "--", process.execPath, "-e", AGENT],
        {
          cwd: folders.work,
          env: { ...environmentOf(folders), EXIT_CODE: "7" },
          stdio: ["pipe", "pipe", "pipe"],
        },
      );
      running.push(child);
      let stderr = "";
      child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
      child.stdout.resume();
      child.stdin.end("one\n");
      const [code] = (await once(child, "close")) as [number | null];
      expect(code).toBe(7);
      const said = stderr.trimEnd().split("\n");
      expect(said[0]).toBe("palimpsest: gateway (observe): 1 request, all passed on byte for byte");
      expect(said.filter((line) => line.includes("could not"))).toEqual([
        `palimpsest: the receipt could not be written to ${receipt} (EFBIG)`,
      ]);
      expect(await readdir(join(folders.root, "receipts"))).toEqual([]);
    },
  );

  it("--help has an example", async () => {
    const { code, stdout } = await runHere(["gateway", "--help"]);
    expect(code).toBe(0);
    expect(stdout).toContain("$ palimpsest gateway -- claude");
  });
});

async function serve(
  listener: (incoming: IncomingMessage, outgoing: ServerResponse) => void,
): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const server: Server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
