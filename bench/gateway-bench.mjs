/**
 * What the gateway adds: time to a request of 2 MB and to an event, how soon an abort is heard upstream, 200 streams at once, and
 * how long a killed proxy is away. Upstream, gateway and client are processes of their own.
 */
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { Agent, request as requestHttp } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const command = fileURLToPath(new URL("../packages/palimpsest/bin/palimpsest.mjs", import.meta.url));
const upstreamFile = fileURLToPath(new URL("./gateway-upstream.mjs", import.meta.url));
/** One clock for all processes of this machine. */
const now = () => Number(process.hrtime.bigint()) / 1e6;
const REQUESTS = 200;
const PAUSE_MS = 100;
const EVENTS = 1000;
const ABORTS = 50;
const STREAMS = 200;
const STREAM_BODY = 500_000;
const RESTARTS = 5;
const STREAMS_AT_A_KILL = 20;

export const gatewayBench = {
  name: "gateway",
  about:
    "what the gateway adds to requests, events and aborts, 200 streams at once, and a proxy that is killed",
  /** Measures only what may have figures whose names begin so. */
  async *run(prefixes = ["gateway"]) {
    const isWanted = (name) =>
      prefixes.some((prefix) => name.startsWith(prefix) || prefix.startsWith(`${name}.`));
    const measures = Object.entries(onTheWay).flatMap(([name, measure]) => (isWanted(name) ? [measure] : []));
    if (measures.length > 0) yield* measuredOnTheWay(measures);
    // Takes minutes: the other figures do not wait for it.
    if (isWanted("gateway.state")) yield* stateOfManyRequests();
  },
};

/** By the beginnings of their figures' names. */
const onTheWay = {
  "gateway.request-2mb": timeOfRequests,
  "gateway.event": timeOfEvents,
  "gateway.abort": timeOfAborts,
  "gateway.streams-200": manyStreams,
  "gateway.back-after-kill": timeOfRestarts,
};

/** Between a client here and an upstream, each in a process of its own. */
async function* measuredOnTheWay(measures) {
  const folder = await mkdtemp(join(tmpdir(), "palimpsest-gateway-bench-"));
  const upstream = fork(upstreamFile);
  const [{ port }] = await once(upstream, "message");
  const direct = `http://127.0.0.1:${port}`;
  const gateway = spawn(process.execPath, [command, "gateway", "--upstream", direct], {
    env: { PATH: process.env.PATH, HOME: folder, PALIMPSEST_HOME: folder },
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    const [line] = await once(createInterface(gateway.stdout), "line");
    const through = line.slice("listening on ".length);
    for (const measure of measures) yield* measure({ direct, through, upstream, launcher: gateway.pid });
  } finally {
    gateway.kill("SIGTERM");
    await once(gateway, "exit");
    upstream.disconnect();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Conversations, requests of each, how many of them at once, words of a message. */
const SHAPES = [
  ["1000000-of-short", 250_000, 4, 1, 0],
  ["50000-of-long", 500, 100, 50, 40],
];

/** What so many requests leave in memory, after a tenth of them and after all. */
async function* stateOfManyRequests() {
  for (const [name, ...shape] of SHAPES) {
    const child = fork(fileURLToPath(new URL("./gateway-state.mjs", import.meta.url)), shape.map(String), {
      execArgv: ["--expose-gc", "--max-old-space-size=1024"],
    });
    const [state] = await Promise.race([once(child, "message"), once(child, "exit").then(() => [undefined])]);
    if (state === undefined) throw new Error(`the gateway's state after ${name} requests did not fit`);
    const { heaps, memory, peak, perRequest, seconds, conversations, forgotten } = state;
    yield { name: `gateway.state.${name}.heap-after-a-tenth`, value: heaps[0], unit: "MB" };
    yield { name: `gateway.state.${name}.heap`, value: heaps[1], unit: "MB" };
    yield { name: `gateway.state.${name}.memory`, value: memory, unit: "MB" };
    yield { name: `gateway.state.${name}.peak-memory`, value: peak, unit: "MB" };
    yield { name: `gateway.state.${name}.per-request`, value: perRequest, unit: "ms" };
    yield { name: `gateway.state.${name}.seconds`, value: seconds, unit: "s" };
    yield { name: `gateway.state.${name}.conversations`, value: conversations, unit: "count" };
    yield { name: `gateway.state.${name}.forgotten`, value: forgotten, unit: "count" };
  }
}

const agent = new Agent({ keepAlive: true });

function post(url, body, headers = {}) {
  const request = requestHttp(`${url}/v1/messages`, {
    agent,
    method: "POST",
    headers: { "content-type": "application/json", "content-length": body.length, ...headers },
  });
  request.end(body);
  return request;
}

async function answered(request) {
  const [response] = await once(request, "response");
  response.resume();
  await once(response, "end");
}

const quantile = (values, share) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))];

/** A body of 2 MB with 800 messages. */
function largeBody() {
  const content = "the quick brown fox jumps over the lazy dog ".repeat(56);
  const messages = Array.from({ length: 800 }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content,
  }));
  return Buffer.from(JSON.stringify({ model: "claude-haiku-4-5", max_tokens: 10, messages }));
}

async function* timeOfRequests({ direct, through }) {
  const body = largeBody();
  const added = [];
  const alone = [];
  const time = async (url) => {
    const start = performance.now();
    await answered(post(url, body));
    return performance.now() - start;
  };
  for (let number = 0; number < REQUESTS + 20; number += 1) {
    const [one, other] = [await time(direct), await time(through)];
    // An agent works on an answer before it asks again; meanwhile the exchange is read.
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    if (number < 20) continue;
    alone.push(one);
    added.push(other - one);
  }
  yield { name: "gateway.request-2mb.direct-p50", value: quantile(alone, 0.5), unit: "ms" };
  yield { name: "gateway.request-2mb.added-p10", value: quantile(added, 0.1), unit: "ms" };
  yield { name: "gateway.request-2mb.added-p50", value: quantile(added, 0.5), unit: "ms" };
  yield { name: "gateway.request-2mb.added-p99", value: quantile(added, 0.99), unit: "ms" };
}

/** How long each event is on its way. */
async function delays(url) {
  const request = post(url, Buffer.from("{}"), { "x-events": EVENTS, "x-pause": 1 });
  const [response] = await once(request, "response");
  const values = [];
  response.setEncoding("utf8").on("data", (text) => {
    const at = now();
    for (const [, written] of text.matchAll(/"at":([\d.]+)/g)) values.push(at - Number(written));
  });
  await once(response, "end");
  return values.slice(50);
}

async function* timeOfEvents({ direct, through }) {
  const [alone, with_] = [await delays(direct), await delays(through)];
  yield { name: "gateway.event.added-p50", value: quantile(with_, 0.5) - quantile(alone, 0.5), unit: "ms" };
  yield { name: "gateway.event.added-p99", value: quantile(with_, 0.99) - quantile(alone, 0.99), unit: "ms" };
}

/** When the upstream heard that this client had gone. */
const heardOf = (upstream, wanted) =>
  new Promise((resolve) => {
    const hear = ({ id, at }) => {
      if (id !== wanted) return;
      upstream.off("message", hear);
      resolve(at);
    };
    upstream.on("message", hear);
  });

async function* timeOfAborts({ through, upstream }) {
  const values = [];
  for (let number = 0; number < ABORTS; number += 1) {
    const request = post(through, Buffer.from("{}"), {
      "x-events": 100_000,
      "x-pause": 5,
      "x-id": `abort-${number}`,
    });
    request.on("error", () => {});
    const [response] = await once(request, "response");
    response.on("error", () => {});
    await once(response, "data");
    const closed = heardOf(upstream, `abort-${number}`);
    const at = now();
    request.destroy();
    const heard = await closed;
    values.push(heard - at);
  }
  yield { name: "gateway.abort.p50", value: quantile(values, 0.5), unit: "ms" };
  yield { name: "gateway.abort.p99", value: quantile(values, 0.99), unit: "ms" };
}

async function* manyStreams({ through, launcher }) {
  const body = Buffer.from(
    JSON.stringify({
      model: "claude-haiku-4-5",
      messages: [{ role: "user", content: "x".repeat(STREAM_BODY) }],
    }),
  );
  const proxy = proxyOf(launcher);
  const before = cpuOf(proxy);
  const memoryBefore = memoryOf(proxy);
  const start = performance.now();
  let events = 0;
  await Promise.all(
    Array.from({ length: STREAMS }, async () => {
      const request = post(through, body, { "x-events": 200, "x-pause": 20 });
      const [response] = await once(request, "response");
      response.setEncoding("utf8").on("data", (text) => (events += text.split("\n\n").length - 1));
      await once(response, "end");
    }),
  );
  const seconds = (performance.now() - start) / 1000;
  const peak = memoryOf(proxy);
  const bodies = (STREAMS * body.length) / 1e6;
  yield { name: "gateway.streams-200.events", value: events / seconds, unit: "requests/s" };
  yield { name: "gateway.streams-200.cpu", value: (cpuOf(proxy) - before) / seconds, unit: "ratio" };
  yield { name: "gateway.streams-200.bodies", value: bodies, unit: "MB" };
  yield { name: "gateway.streams-200.peak-memory", value: peak, unit: "MB" };
  yield { name: "gateway.streams-200.memory-less-twice-the-bodies", value: peak - 2 * bodies, unit: "MB" };
  yield { name: "gateway.streams-200.memory-before", value: memoryBefore, unit: "MB" };
}

async function* timeOfRestarts({ through, launcher }) {
  const values = [];
  for (let number = 0; number < RESTARTS; number += 1) {
    // In the middle of answers.
    await Promise.all(
      Array.from({ length: STREAMS_AT_A_KILL }, async () => {
        const request = post(through, Buffer.from("{}"), { "x-events": 10_000, "x-pause": 5 });
        request.on("error", () => {});
        const [response] = await once(request, "response");
        response.on("error", () => {});
        await once(response, "data");
      }),
    );
    const at = performance.now();
    process.kill(proxyOf(launcher), "SIGKILL");
    for (;;) {
      const request = requestHttp(`${through}/__gateway/mode`, { agent: false });
      request.end();
      try {
        await answered(request);
        break;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }
    values.push(performance.now() - at);
  }
  yield { name: "gateway.back-after-kill.p50", value: quantile(values, 0.5), unit: "ms" };
  yield { name: "gateway.back-after-kill.longest", value: Math.max(...values), unit: "ms" };
}

const proxyOf = (launcher) =>
  Number(readFileSync(`/proc/${launcher}/task/${launcher}/children`, "utf8").trim().split(" ")[0]);

/** Seconds of CPU, user and system. */
function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** The most that it ever had, in MB. */
const memoryOf = (pid) =>
  (Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) * 1024) / 1e6;
