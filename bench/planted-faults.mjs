/**
 * Does the soak find what goes wrong? Plants mistakes, one at a time, in a copy of this repository, builds it, and runs the soak
 * as it is shipped until it fails:
 *
 *   node bench/planted-faults.mjs [--only NAME[,NAME]] [--minutes N] [--seed S] [--results FILE] [--list]
 *
 * The faults are bench/faults/*.mjs: exact edits, at least one for each invariant of ARCHITECTURE.md. A text that is no longer
 * there exactly once, an invariant without a fault, and a fault that does not compile stop everything. The soak is told nothing of
 * the fault but which runs come first; when those hold, all of them run, until ten minutes (`--minutes`) are over. Needs `npm ci`,
 * nothing else; with PALIMPSEST_CORPUS the runs on recordings are tried too. Exit code 1 where a fault was not found.
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { checkFaults, plant } from "./faults/check-faults.mjs";
import { faults } from "./faults/index.mjs";

const run = promisify(execFile);
const root = fileURLToPath(new URL("..", import.meta.url));
const { values } = parseArgs({
  options: {
    only: { type: "string" },
    minutes: { type: "string", default: "10" },
    seed: { type: "string", default: String(Date.now() >>> 0) },
    results: { type: "string" },
    list: { type: "boolean" },
  },
});
const limit = Number(values.minutes);
/** Of what is left, the part that each of the runs named by a fault may take before all of them are run. */
const FIRST_SHARE = 0.3;

const folder = await mkdtemp(join(tmpdir(), "planted-faults-"));
/** The one that faults are planted in, and one that stays as it is: what fails there too was not found. */
const copy = join(folder, "planted");
const clean = join(folder, "clean");
let child;
let isStopped = false;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
  process.once(signal, () => {
    isStopped = true;
    child?.kill("SIGTERM");
  });
try {
  const chosen = await chooseFaults();
  if (values.list === true) for (const { name, invariant } of chosen) console.log(`${name}\t${invariant}`);
  else await plantAll(chosen);
} catch (error) {
  tell(`planted-faults: ${error.message}`);
  process.exitCode = 2;
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

async function chooseFaults() {
  if (!(limit > 0)) throw new Error(`--minutes must be a number greater than 0, not ${values.minutes}`);
  const wrong = await checkFaults(root, faults);
  if (wrong.length > 0) throw new Error(wrong.join("\n"));
  const names = values.only?.split(",");
  const unknown = names?.find((name) => !faults.some((fault) => fault.name === name));
  if (unknown !== undefined) throw new Error(`no fault is named ${unknown} (--list names them)`);
  return faults.filter(({ name }) => names?.includes(name) ?? true);
}

async function plantAll(chosen) {
  tell(`building copies in ${folder}`);
  for (const place of [clean, copy]) {
    await makeCopy(place);
    await build(place);
  }
  const found = [];
  for (const [index, fault] of chosen.entries()) {
    tell(`${index + 1} of ${chosen.length}: ${fault.name}`);
    const restore = await plant(copy, fault);
    try {
      await build(copy);
      found.push({ fault, ...(await find(fault)) });
    } finally {
      await restore();
    }
    if (isStopped) break;
    const { run: by, seconds, message } = found.at(-1);
    tell(by === undefined ? "  not found" : `  ${by}, ${seconds} s: ${message.slice(0, 200)}`);
  }
  const table = render(found);
  console.log(table);
  if (values.results !== undefined) await writeFile(values.results, `${table}\n`);
  if (isStopped || found.some(({ run: by }) => by === undefined)) process.exitCode = 1;
}

/** Everything that git knows or would know, what is built, and packages by links, so that the copy's own two are used. */
async function makeCopy(copy) {
  const { stdout } = await run("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    maxBuffer: 2 ** 26,
  });
  const files = stdout.split("\0").filter((file) => file !== "");
  const built = ["packages/core/dist", "packages/palimpsest/dist"];
  const infos = ["packages/core", "packages/palimpsest"].map((folder) => `${folder}/tsconfig.tsbuildinfo`);
  for (const file of [...files, ...built, ...infos]) {
    await mkdir(dirname(join(copy, file)), { recursive: true });
    await cp(join(root, file), join(copy, file), { recursive: true, preserveTimestamps: true }).catch(
      (error) => {
        if (error.code !== "ENOENT") throw error;
      },
    );
  }
  for (const folder of ["", "packages/core", "packages/palimpsest"]) await linkPackages(copy, folder);
  const modules = join(copy, "node_modules");
  await rm(join(modules, "@palimpsest"), { recursive: true, force: true });
  await rm(join(modules, "palimpsest"), { force: true });
  await mkdir(join(modules, "@palimpsest"));
  await symlink("../../packages/core", join(modules, "@palimpsest/core"));
  await symlink("../packages/palimpsest", join(modules, "palimpsest"));
}

async function linkPackages(copy, folder) {
  const from = join(root, folder, "node_modules");
  const to = join(copy, folder, "node_modules");
  const entries = await readdir(from).catch(() => []);
  await mkdir(to, { recursive: true });
  for (const name of entries.filter((name) => name !== ".vite"))
    await symlink(join(from, name), join(to, name));
}

async function build(copy) {
  await run("npm", ["run", "build"], { cwd: copy, maxBuffer: 2 ** 26 }).catch((error) => {
    throw new Error(`the copy cannot be built: ${`${error.stdout}${error.stderr}`.slice(0, 1500)}`);
  });
}

/**
 * What a run of the soak fails with.
 * @typedef {{ name: string, seed: string, message: string }} Failure
 */

/** By which run of the soak it is found, and after how many seconds of it. */
async function find({ runs }) {
  const started = performance.now();
  const minutesLeft = () => limit - (performance.now() - started) / 60_000;
  for (const only of [...runs, undefined]) {
    const left = minutesLeft();
    if (left <= 0 || isStopped) break;
    const given = only === undefined ? left : left * FIRST_SHARE;
    const failure = await soak(copy, { minutes: given, only, seed: values.seed });
    if (failure === undefined) continue;
    const seconds = Math.round((performance.now() - started) / 1000);
    const { name, seed, message } = failure;
    // Without the fault the same has to hold for as long.
    const minutes = Math.max(0.05, (1.5 * seconds) / 60);
    const other = await soak(clean, { minutes, only: name, seed });
    if (other === undefined) return { run: name, seconds, message };
    tell(`  ${name} fails with seed ${seed} where nothing is planted, too: ${other.message.slice(0, 300)}`);
  }
  return { run: undefined, seconds: limit * 60, message: "" };
}

/** @returns {Promise<Failure | undefined>} the first failure, as soon as there is one */
async function soak(copy, { minutes, only, seed }) {
  const args = [
    join(copy, "packages/palimpsest/bin/palimpsest.mjs"),
    "soak",
    "--runs",
    "soak/runs.mjs",
    "--seed",
    seed,
    "--minutes",
    String(minutes),
    ...(only === undefined ? [] : ["--only", only]),
  ];
  child = spawn(process.execPath, args, { cwd: copy, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  /** @type {Failure | undefined} */
  let failure;
  child.stdout.resume();
  child.stderr.setEncoding("utf8").on("data", (text) => {
    output += text;
    const [, name, failed, message] =
      /palimpsest: (\S+) failed with seed (\d+): (.*?); again: /s.exec(output) ?? [];
    if (name === undefined || failure !== undefined) return;
    failure = { name, seed: failed, message };
    // One is enough.
    child.kill("SIGTERM");
  });
  const [code] = await once(child, "close");
  if (failure === undefined && code !== 0 && !isStopped)
    throw new Error(`the soak itself ended with ${code}: ${output.slice(-1000)}`);
  return failure;
}

function render(found) {
  const missed = found.filter(({ run: by }) => by === undefined).length;
  const times = found.map(({ seconds }) => seconds).toSorted((a, b) => a - b);
  const lines = found.map(
    ({ fault, run: by, seconds }) =>
      `| \`${fault.name}\` | ${fault.invariant.replaceAll("|", "\\|")} | ${by === undefined ? "**not found**" : `\`${by}\``} | ${by === undefined ? "" : `${seconds} s`} |`,
  );
  return [
    "| fault | breaks | found by | after |",
    "| --- | --- | --- | --- |",
    ...lines,
    "",
    `${found.length - missed} of ${found.length} found; the median after ${times[Math.floor(times.length / 2)]} s, the last after ${times.at(-1)} s; seed ${values.seed}.`,
  ].join("\n");
}

function tell(text) {
  process.stderr.write(`${text}\n`);
}
