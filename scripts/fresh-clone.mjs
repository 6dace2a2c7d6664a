import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * What a newcomer does first, in a clone of what is committed here, with an empty cache of npm and an empty home: the README's two
 * commands and its three handles. Prints a line for each with its seconds; exit code 1 where one does not do what the README says.
 *
 *   node scripts/fresh-clone.mjs [--without-tests] [--keep]
 *
 * `npm test` is the slow one. Claude Code comes from the registry, and talks to the simulator; where it cannot be installed, this
 * project's own agent takes its place, and the line says so.
 */
const CLAUDE = "@anthropic-ai/claude-code@2.1.325";
const root = fileURLToPath(new URL("..", import.meta.url));
const withoutTests = process.argv.includes("--without-tests");

const folder = mkdtempSync(join(tmpdir(), "palimpsest-fresh-"));
const clone = join(folder, "clone");
const home = join(folder, "home");
/** Started here and still running: they end with this script. */
const running = new Set();
let failures = 0;

const { HOME: ownHome = "", ...inherited } = process.env;
const environment = {
  // Keys and addresses of whoever runs this are none of a newcomer's.
  ...Object.fromEntries(
    Object.entries(inherited).filter(([name]) => !/^(?:ANTHROPIC|OPENAI|CLAUDE|npm_(?!config_))/.test(name)),
  ),
  HOME: home,
  npm_config_cache: join(folder, "npm-cache"),
  // How this machine reaches the registry stays.
  npm_config_userconfig: process.env.npm_config_userconfig ?? join(ownHome, ".npmrc"),
  NO_COLOR: "1",
};

try {
  mkdirSync(home, { recursive: true });
  execFileSync("git", ["clone", "--quiet", root, clone]);
  await step("npm ci && npm start (I want to see it)", async () => {
    const { output } = await shell("npm ci && npm start");
    expect(output, /Was anything forgotten\?/);
    return lastLine(output);
  });
  await step("node examples/quick-start.mjs (I build one)", async () => {
    const { output } = await shell("node examples/quick-start.mjs");
    expect(output, /compacted/i);
    return `${output.trim().split("\n").length} times room was made`;
  });
  await step("npx palimpsest inspect (I use an agent)", inspect);
  await step("npx palimpsest gateway -- claude", gateway);
  if (!withoutTests) {
    await step("npm ci && npm test", async () => lastLine((await shell("npm ci && npm test")).output));
  }
} finally {
  for (const child of running) child.kill("SIGKILL");
  if (process.argv.includes("--keep")) console.log(`kept: ${folder}`);
  else rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failures === 0 ? 0 : 1;

/** A conversation of Claude Code lies in the home, where Claude Code puts it, and is found without being named. */
async function inspect() {
  const project = join(home, ".claude/projects/-work");
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, "0b0e7c3e-4f0c-4a55-9a53-3f0a2f3b8a11.jsonl"), claudeConversation());
  const child = start("npx palimpsest inspect");
  const url = new URL((await child.first(/http:\/\/\S+/))[0]);
  const token = new URLSearchParams(url.hash.slice(1)).get("token");
  const page = await fetch(new URL("/", url));
  expect(await page.text(), /<title>/);
  const list = await fetch(new URL("/api/conversations", url), {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(await list.text(), /0b0e7c3e/);
  child.interrupt();
  await child.ended;
  return "the page answers, and the conversation of Claude Code is in its list";
}

/** Claude Code, unchanged, through the gateway to the simulator; a receipt at the end. */
async function gateway() {
  const simulator = start("npx palimpsest simulate --player load:2kb:3");
  try {
    const upstream = (await simulator.first(/http:\/\/\S+/))[0];
    const bin = join(folder, "claude");
    const hasClaude = await shell(`npm install --no-save --prefix ${bin} ${CLAUDE}`).then(
      () => existsSync(join(bin, "node_modules/.bin/claude")),
      () => false,
    );
    const command = hasClaude
      ? "claude -p begin --model claude-opus-4-5 --allowedTools Bash"
      : "npx palimpsest -p begin --permission-mode bypassPermissions";
    const receipt = join(folder, "receipt.json");
    const { output } = await shell(
      `npx palimpsest gateway --upstream ${upstream} --receipt ${receipt} -- ${command}`,
      { ANTHROPIC_API_KEY: "any", PATH: `${join(bin, "node_modules/.bin")}:${process.env.PATH}` },
    );
    expect(output, /The load is done\./);
    expect(output, /all passed on byte for byte/);
    const { requests, identical, cost } = JSON.parse(readFileSync(receipt, "utf8"));
    // What else it asks its vendor for has no answer here.
    const { requests: heard } = await (await fetch(`${upstream}/__sim/requests`)).json();
    const answered = heard.filter(({ path }) => path.startsWith("/v1/messages")).map(({ status }) => status);
    if (
      answered.length < 4 ||
      answered.some((status) => status !== 200) ||
      identical !== requests ||
      !(cost > 0)
    )
      throw new Error(
        `answered with ${answered.join()}, ${requests} requests, ${identical} identical, $${cost}`,
      );
    return `${hasClaude ? "Claude Code" : "this project's own agent"}: ${requests} requests, $${cost.toFixed(4)}`;
  } finally {
    simulator.interrupt();
    await simulator.ended;
  }
}

async function step(name, run) {
  const started = Date.now();
  const seconds = () => `${((Date.now() - started) / 1000).toFixed(0)} s`;
  try {
    const told = await run();
    console.log(`ok      ${name}: ${told} (${seconds()})`);
  } catch (error) {
    failures += 1;
    console.log(`failed  ${name} (${seconds()}): ${error instanceof Error ? error.message : String(error)}`);
  }
}

function expect(text, pattern) {
  if (!pattern.test(text)) throw new Error(`no ${pattern} in: ${text.slice(-2000)}`);
}

function lastLine(output) {
  const lines = output.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("npm "));
  return lines.at(-1) ?? "";
}

/** Runs a line in the clone to its end; rejects where it fails. */
async function shell(line, more = {}) {
  const child = start(line, more);
  const code = await child.ended;
  const output = child.output();
  if (code !== 0) throw new Error(`${line} ended with ${code}: ${output.slice(-2000)}`);
  return { output };
}

/** Starts a line in the clone, in a group of its own, so that an interrupt reaches all of it as a terminal's would. */
function start(line, more = {}) {
  const child = spawn("sh", ["-c", line], {
    cwd: clone,
    env: { ...environment, ...more },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  running.add(child);
  let output = "";
  const waiting = new Set();
  const take = (chunk) => {
    output += String(chunk);
    for (const look of waiting) look();
  };
  child.stdout.on("data", take);
  child.stderr.on("data", take);
  const ended = new Promise((resolve) =>
    child.once("close", (code) => {
      running.delete(child);
      resolve(code);
      for (const look of waiting) look();
    }),
  );
  return {
    ended,
    output: () => output,
    interrupt: () => {
      if (child.pid !== undefined && running.has(child)) process.kill(-child.pid, "SIGINT");
    },
    /** What the pattern finds first in what is printed. */
    first: (pattern) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => finish(undefined, "a minute"), 60_000);
        const look = () => {
          const found = pattern.exec(output);
          if (found !== null) finish(found);
          else if (!running.has(child)) finish(undefined, "its end");
        };
        const finish = (found, until) => {
          clearTimeout(timer);
          waiting.delete(look);
          if (found !== undefined) resolve(found);
          else reject(new Error(`${line}: nothing like ${pattern} until ${until}: ${output.slice(-2000)}`));
        };
        waiting.add(look);
        look();
      }),
  };
}

function claudeConversation() {
  const line = (uuid, parentUuid, more) =>
    JSON.stringify({
      parentUuid,
      isSidechain: false,
      userType: "external",
      cwd: "/work",
      sessionId: "0b0e7c3e-4f0c-4a55-9a53-3f0a2f3b8a11",
      version: "2.1.325",
      uuid,
      timestamp: "2026-11-19T10:00:00.000Z",
      ...more,
    });
  const usage = {
    input_tokens: 3,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 15_000,
    output_tokens: 9,
  };
  return [
    line("u1", null, { type: "user", message: { role: "user", content: "Why does the build fail?" } }),
    line("a1", "u1", {
      type: "assistant",
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "claude-opus-4-5",
        content: [{ type: "text", text: "A module is missing." }],
        stop_reason: "end_turn",
        usage,
      },
    }),
    "",
  ].join("\n");
}
