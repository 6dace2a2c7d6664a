/**
 * What the inspector costs on a recording of 200 MB and 40,000 messages: its index, its memory, its search. Part of
 * `npm run bench -- --only inspector`.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeLargeRecording } from "./large-recording.mjs";

const command = fileURLToPath(new URL("../packages/palimpsest/bin/palimpsest.mjs", import.meta.url));
const LAST = "xylographic-marker";

export const inspectorBench = {
  name: "inspector",
  async *run() {
    const folder = await mkdtemp(join(tmpdir(), "inspector-bench-"));
    try {
      const path = join(folder, "large.jsonl");
      const made = await writeLargeRecording(path, { messages: 40_000, bytes: 200_000_000, last: LAST });
      yield figure("inspector.recording", made.bytes / 1e6, "MB");
      const small = join(folder, "small.jsonl");
      await writeLargeRecording(small, { messages: 10, bytes: 20_000, last: LAST });
      const idle = await inspect(small, { home: join(folder, "idle") });
      const idleMemory = await memoryOf(idle.pid);
      await idle.stop();

      const home = join(folder, "home");
      const first = await inspect(path, { home });
      yield figure("inspector.first-index", first.seconds, "s");
      yield figure("inspector.progress-events", first.progress, "");
      yield figure("inspector.memory-while-indexing", (await memoryOf(first.pid)) - idleMemory, "MB");
      yield* asked(first);
      yield figure("inspector.memory", (await memoryOf(first.pid)) - idleMemory, "MB");
      await first.stop();

      const again = await inspect(path, { home });
      yield figure("inspector.index-again", again.seconds, "s");
      yield figure("inspector.memory-again", (await memoryOf(again.pid)) - idleMemory, "MB");
      await again.stop();

      const text = await readFile(path, "utf8");
      const lines = text.slice(-40_000).split("\n").slice(1, 3).join("\n");
      const grown = await inspect(path, { home });
      await writeFile(path, `${lines}\n`, { flag: "a" });
      yield figure("inspector.grown", await grown.untilVersion(grown.version + 1), "s");
      await grown.stop();
      yield* whatIf(folder);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

const figure = (name, value, unit) => ({ name, value, unit });

async function* asked(server) {
  const { get, base } = server;
  const total = (await get(`${base}/requests?count=1`)).body.total;
  for (const [name, path] of [
    ["overview", base],
    ["timeline", `${base}/timeline?points=1200`],
    ["request-view", `${base}/requests/${total - 1}?count=200`],
    ["search-last", `${base}/search?q=${LAST}`],
    ["search-nowhere", `${base}/search?q=nowhere-to-be-found`],
    ["search-everywhere", `${base}/search?q=parser`],
  ]) {
    const { seconds, bytes } = await get(path);
    yield figure(`inspector.${name}`, seconds, "s");
    yield figure(`inspector.${name}.bytes`, bytes / 1000, "KB");
  }
}

/** Another policy for 600 turns, from the question to the answer; and how long it takes until one is called off. */
async function* whatIf(folder) {
  const path = join(folder, "turns.jsonl");
  await writeLargeRecording(path, { messages: 1230, bytes: 6_150_000, last: LAST });
  const server = await inspect(path, { home: join(folder, "what-if") });
  const { base, send, get } = server;
  yield figure("inspector.what-if-turns", (await get(`${base}/requests?count=1`)).body.total, "");
  const start = async () =>
    (await send("POST", `${base}/what-if`, { policy: "palimpsest", window: 200_000 })).body;
  const began = performance.now();
  let job = await start();
  while (job.state === "running") {
    await new Promise((resolve) => setTimeout(resolve, 50));
    job = (await get(`/api/what-if/${job.job}`)).body;
  }
  if (job.state !== "done") throw new Error(`the what-if ended as ${job.state}`);
  yield figure("inspector.what-if", (performance.now() - began) / 1000, "s");
  const waits = [];
  for (const after of [100, 1000, 2500]) {
    const running = await start();
    await new Promise((resolve) => setTimeout(resolve, after));
    const asked = performance.now();
    const cancelled = (await send("DELETE", `/api/what-if/${running.job}`)).body;
    if (cancelled.state !== "cancelled")
      throw new Error(`called off after ${after} ms it is ${cancelled.state}`);
    // Another one can be started once it has ended.
    const next = await start();
    waits.push((performance.now() - asked) / 1000);
    await send("DELETE", `/api/what-if/${next.job}`);
  }
  yield figure("inspector.what-if-cancel", Math.max(...waits), "s");
  await server.stop();
}

/** The server on a file, once its figures are known. */
async function inspect(path, { home }) {
  const started = performance.now();
  const child = spawn(process.execPath, [command, "inspect", path, "--no-open"], {
    env: { ...process.env, PALIMPSEST_HOME: home },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (part) => (printed += part));
  while (!printed.includes("\n")) await once(child.stdout, "data");
  const [, address, token] = /^inspecting at (http:\/\/[^/]+)\/#token=(\S+)/.exec(printed);
  const headers = { authorization: `Bearer ${token}` };
  const send = async (method, of, body) => {
    const began = performance.now();
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const text = await (await fetch(`${address}${of}`, { method, headers, ...sent })).text();
    return { seconds: (performance.now() - began) / 1000, bytes: text.length, body: JSON.parse(text) };
  };
  const get = (of) => send("GET", of);
  const events = await fetch(`${address}/api/events`, { headers: { ...headers, "last-event-id": "0" } });
  let progress = 0;
  void (async () => {
    try {
      for await (const part of events.body)
        progress += Buffer.from(part).toString().split("event: indexing").length - 1;
    } catch {
      // The server has ended.
    }
  })();
  const { id } = (await get("/api/conversations")).body.conversations[0];
  const base = `/api/conversations/${id}`;
  const { version } = (await get(base)).body;
  return {
    pid: child.pid,
    base,
    get,
    send,
    version,
    seconds: (performance.now() - started) / 1000,
    get progress() {
      return progress;
    },
    async untilVersion(wanted) {
      const began = performance.now();
      while ((await get(base)).body.version < wanted) await new Promise((resolve) => setTimeout(resolve, 50));
      return (performance.now() - began) / 1000;
    },
    async stop() {
      child.kill("SIGTERM");
      await once(child, "close");
    },
  };
}

/** The most that a process has had so far, in megabytes; where the system tells it. */
async function memoryOf(pid) {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) / 1000;
}
