/**
 * Lets a published cost tool (ccusage) read a transcript that the agent wrote, and compares its totals with ours.
 * Installs it into a temporary folder, so it needs the package registry; the model is `palimpsest simulate`.
 *
 *   npm run build && node scripts/cost-tool-check.mjs
 *
 * Exit code 1 where the tool counts something else than the responses in the transcript.
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const VERSIONS = ["18.0.11", "20.0.24"];
const STEPS = 80;
const WINDOW = "100000";
const command = fileURLToPath(new URL("../packages/palimpsest/bin/palimpsest.mjs", import.meta.url));
const run = promisify(execFile);
const fields = ["inputTokens", "outputTokens", "cacheCreationTokens", "cacheReadTokens"];

const folder = await mkdtemp(join(tmpdir(), "palimpsest-cost-"));
const simulator = await startSimulator();
try {
  const { summary, data } = await runAgent();
  const projects = await usageBelow(join(data, "projects"));
  const subagents = await usageBelow(join(data, "sessions"));
  const own = {
    inputTokens: summary.usage.input_tokens,
    outputTokens: summary.usage.output_tokens,
    cacheCreationTokens: summary.usage.cache_creation_input_tokens,
    cacheReadTokens: summary.usage.cache_read_input_tokens,
  };
  show("responses in the transcripts", projects.totals);
  show("subagents kept elsewhere", subagents.totals);
  show("the run, as it says itself", own, summary.cost);
  const rest = fields.map((name) => own[name] - projects.totals[name] - subagents.totals[name]);
  show("  of that in neither: summaries", Object.fromEntries(fields.map((name, at) => [name, rest[at]])));
  const analysed = await analysedCost(projects.files);
  console.log(`palimpsest analyze: $${analysed.toFixed(6)}`);
  for (const version of VERSIONS) {
    const counted = await countWith(version, data);
    show(`ccusage ${version}`, counted, counted.totalCost);
    if (fields.some((name) => counted[name] !== projects.totals[name])) process.exitCode = 1;
    if (Math.abs(counted.totalCost - analysed) > 1e-6) process.exitCode = 1;
  }
  console.log(process.exitCode === 1 ? "They differ." : "They agree on the responses.");
} finally {
  simulator.process.kill();
  await rm(folder, { recursive: true, force: true });
}

/** A subagent, then enough output for some compactions. */
async function startSimulator() {
  const shell = (step) => ({
    text: `Step ${step}.`,
    calls: [{ tool: "Bash", input: { command: `seq -f 'step ${step} line %g' 1 400` } }],
  });
  const agent = { description: "look around", prompt: "Look around.", subagent_type: "general" };
  const steps = [
    { text: "Somebody else looks first.", calls: [{ tool: "Agent", input: agent }] },
    ...Array.from({ length: STEPS }, (_, step) => shell(step)),
  ];
  const script = join(folder, "script.json");
  await writeFile(script, JSON.stringify({ steps, closing: "Done." }));
  const child = spawn(
    process.execPath,
    [command, "simulate", "--player", `script:${script}`, "--window", WINDOW],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const [line] = await once(createInterface(child.stdout), "line");
  return { process: child, url: line.slice("listening on ".length) };
}

async function runAgent() {
  const work = join(folder, "work");
  const data = join(folder, "data");
  await mkdir(work);
  const args = [command, "-p", "Do all steps.", "--json", "--base-url", simulator.url, "--window", WINDOW];
  const { stdout } = await run(
    process.execPath,
    [...args, "--model", "claude-haiku-4-5", "--permission-mode", "bypassPermissions"],
    {
      cwd: work,
      env: { PATH: process.env.PATH, HOME: folder, PALIMPSEST_HOME: data, ANTHROPIC_API_KEY: "any" },
    },
  );
  return { summary: JSON.parse(stdout), data };
}

/** The usage of every response in the transcripts below a folder; pieces of one response count once. */
async function usageBelow(directory) {
  const entries = await readdir(directory, { withFileTypes: true, recursive: true }).catch(() => []);
  const files = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(".jsonl"))
    .map((entry) => join(entry.parentPath, entry.name));
  const responses = new Map();
  for (const file of files) {
    for (const line of (await readFile(file, "utf8")).split("\n")) {
      const { type, uuid, message } = line === "" ? {} : JSON.parse(line);
      if (type === "assistant" && message.usage !== undefined)
        responses.set(message.id ?? uuid, message.usage);
    }
  }
  const sum = (name) => [...responses.values()].reduce((total, usage) => total + (usage[name] ?? 0), 0);
  const totals = {
    inputTokens: sum("input_tokens"),
    outputTokens: sum("output_tokens"),
    cacheCreationTokens: sum("cache_creation_input_tokens"),
    cacheReadTokens: sum("cache_read_input_tokens"),
  };
  return { files, totals };
}

async function analysedCost(files) {
  let dollars = 0;
  for (const file of files) {
    const { stdout } = await run(process.execPath, [command, "analyze", file, "--json"], {
      maxBuffer: 2 ** 26,
    });
    dollars += JSON.parse(stdout).cost.dollars;
  }
  return dollars;
}

/** What the tool counts, with its own table of prices. */
async function countWith(version, data) {
  const place = join(folder, `ccusage-${version}`);
  await mkdir(place);
  await writeFile(join(place, "package.json"), JSON.stringify({ name: "cost-tool", private: true }));
  await run("npm", ["install", "--no-audit", "--no-fund", "--no-save", `ccusage@${version}`], { cwd: place });
  const { stdout } = await run(join(place, "node_modules/.bin/ccusage"), ["session", "--json", "--offline"], {
    env: { PATH: process.env.PATH, HOME: folder, CLAUDE_CONFIG_DIR: data },
    maxBuffer: 2 ** 26,
  });
  return JSON.parse(stdout).totals;
}

function show(name, totals, dollars) {
  const numbers = fields.map((field) => `${String(totals[field]).padStart(9)} ${field}`).join("  ");
  console.log(`${name.padEnd(34)} ${numbers}${dollars === undefined ? "" : `  $${dollars.toFixed(6)}`}`);
}
