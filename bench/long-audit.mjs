/**
 * The built command on a fake of the Messages API that nobody here wrote (`PALIMPSEST_OUTSIDE_JUDGE`): one tool call
 * in every answer, results of 10 KB, a window of 200K. What the whole run cost, and what a turn cost in CPU. With
 * `--needs 4` earlier lines are needed again before every fourth step, drawn by each of the seeds; what is not there is
 * fetched by a further call. Settings come from the environment (`PALIMPSEST_MEMORY=thrifty`).
 *
 *   npm run build && node bench/long-audit.mjs [--steps 100,400] [--needs 4 [--seeds 1,2,3]] [--json]
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  equivalentsOf,
  flags,
  MODEL,
  outsideJudge,
  PROMPT,
  startJudge,
  WINDOW,
  writeData,
} from "./outside-judge.mjs";

const command = fileURLToPath(new URL("../packages/palimpsest/bin/palimpsest.mjs", import.meta.url));

export const longAuditBench = {
  name: "long audit",
  async *run() {
    const judge = outsideJudge();
    if (judge === undefined) return;
    for (const steps of [100, 400]) yield* figuresOf(await runAudit(judge, steps));
  },
};

/** One run of the command, in folders of its own. */
export async function runAudit(judge, steps, needs = {}) {
  const folder = await mkdtemp(join(tmpdir(), "palimpsest-audit-"));
  const work = join(folder, "work");
  const paths = {
    log: join(folder, "requests.jsonl"),
    pid: join(folder, "pid"),
    dump: join(folder, "dump"),
  };
  await writeData(join(work, "data"), steps);
  const server = await startJudge(judge, {
    steps,
    limit: WINDOW,
    data: join(work, "data"),
    log: paths.log,
    pidfile: paths.pid,
    dump: paths.dump,
    ...needs,
  });
  try {
    const agent = await runCommand({ folder, work, url: server.url, pidFile: paths.pid });
    const stats = await (await fetch(`${server.url}/__stats`)).json();
    const requests = (await readFile(paths.log, "utf8"))
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line))
      .filter(({ kind }) => kind !== undefined);
    const last = (await readdir(paths.dump))
      .filter((name) => name.endsWith("-main.json"))
      .toSorted()
      .at(-1);
    const body = last === undefined ? "" : await readFile(join(paths.dump, last), "utf8");
    return { steps, agent, stats, requests, isPromptThere: holdsPrompt(body) };
  } finally {
    server.process.kill();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Whether the person's words stand verbatim in a message of the user. */
const holdsPrompt = (body) =>
  body !== "" &&
  JSON.parse(body).messages.some(
    ({ role, content }) =>
      role === "user" &&
      (typeof content === "string" ? [content] : content.map(({ text = "" }) => text)).some((text) =>
        text.includes(PROMPT),
      ),
  );

/** What somebody set for this run. */
const settings = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => name.startsWith("PALIMPSEST_") && !/^PALIMPSEST_(?:OUTSIDE_JUDGE|CORPUS|HOME)$/.test(name),
  ),
);

async function runCommand({ folder, work, url, pidFile }) {
  const child = spawn(
    process.execPath,
    [
      command,
      "-p",
      PROMPT,
      "--json",
      ...flags({
        model: MODEL,
        "base-url": url,
        window: WINDOW,
        "permission-mode": "bypassPermissions",
      }),
    ],
    {
      cwd: work,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        PALIMPSEST_HOME: join(folder, "data"),
        ANTHROPIC_API_KEY: "any",
        ...settings,
      },
    },
  );
  await writeFile(pidFile, String(child.pid));
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`the command ended with ${code}: ${stderr}${stdout}`);
  return JSON.parse(stdout);
}

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
const mean = (numbers) => (numbers.length === 0 ? 0 : sum(numbers) / numbers.length);

/** What is compared: named figures. */
function figuresOf({ steps, agent, stats, requests, isPromptThere }) {
  // The CPU of a request is that since the one before it; that of the first is the start.
  const [start, ...turns] = requests.map(({ cpu }) => cpu ?? 0);
  const half = Math.floor(turns.length / 2);
  const figure = (name, value, unit = "") => ({ name: `long audit, ${steps} steps: ${name}`, value, unit });
  return [
    figure("input-equivalents", equivalentsOf(stats) / 1e6, "M"),
    figure("requests", stats.requests),
    figure("rejected", stats.rejected),
    figure("steps done", stats.finished ? stats.toolCalls : 0),
    figure("summaries", stats.summary),
    figure("compactions, as the command says", agent.compactions),
    figure("largest request", stats.largestTokens, "tokens"),
    figure("prompt verbatim at the end", isPromptThere ? 1 : 0),
    figure("CPU until the first request", start ?? 0, "ms"),
    figure("CPU per turn", mean(turns), "ms"),
    figure("CPU per turn, first half", mean(turns.slice(0, half)), "ms"),
    figure("CPU per turn, second half", mean(turns.slice(half)), "ms"),
    figure("memory at the end", requests.at(-1)?.rssMB ?? 0, "MB"),
  ];
}

/** With needs: the mean over the draws. */
async function needsFigures(judge, { steps, every, seeds }) {
  const runs = [];
  for (const seed of seeds) {
    runs.push(await runAudit(judge, steps, { needs: every, "needs-seed": seed }));
  }
  const equivalents = runs.map((run) => figuresOf(run)[0].value);
  const met = runs.map(({ stats }) => stats.needsMet / stats.needs);
  const figure = (name, value, unit = "") => ({ name: `with needs, ${steps} steps: ${name}`, value, unit });
  return [
    figure("input-equivalents", mean(equivalents), "M"),
    figure("needs met", 100 * mean(met), "%"),
    figure("regained", mean(runs.map(({ stats }) => stats.regained))),
    figure("summaries", mean(runs.map(({ stats }) => stats.summary))),
    figure("rejected", sum(runs.map(({ stats }) => stats.rejected))),
    ...seeds.map((seed, at) =>
      figure(`draw ${seed}`, equivalents[at], `M, ${(100 * met[at]).toFixed(0)}% met`),
    ),
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const judge = outsideJudge();
  const numbersOf = (flag, usual) => {
    const at = process.argv.indexOf(flag);
    return (at < 0 ? usual : (process.argv[at + 1] ?? "")).split(",").map(Number);
  };
  const [every] = numbersOf("--needs", "0");
  const figures = [];
  for (const steps of judge === undefined ? [] : numbersOf("--steps", "100,400")) {
    figures.push(
      ...(every > 0
        ? await needsFigures(judge, { steps, every, seeds: numbersOf("--seeds", "1,2,3") })
        : figuresOf(await runAudit(judge, steps))),
    );
  }
  if (process.argv.includes("--json")) console.log(JSON.stringify({ figures }));
  else
    for (const { name, value, unit } of figures)
      console.log(`${name.padEnd(60)} ${value.toPrecision(4).padStart(10)} ${unit}`);
}
