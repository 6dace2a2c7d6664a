/**
 * Whether another version of the code sends the same requests:
 *
 *   npm run build && node bench/request-hashes.mjs [FILE|FOLDER…]
 *     --save FILE       keeps the hashes of all requests and of their parts
 *     --compare FILE    says for each recording whether its requests are those of FILE, else the first that is not
 *     --json            one JSON document
 *     --policy NAME     another policy than `palimpsest`, as `palimpsest replay` takes it
 *     --window TOKENS   another window than 200000
 *     --show N          only prints the headers and the body of the Nth request of one recording
 *     --workers N       recordings played at the same time
 *
 * Without files those of PALIMPSEST_CORPUS. Plays what `palimpsest replay` plays first: the recorded conversation as it
 * was, against the simulator, with the settings as they come; it is neither judged nor played again with what was
 * forgotten. A recording's hash is over the SHA-256 of every request (headers and body as they would be sent, calls for
 * summaries and refused requests included) in the order in which they are sent. `--compare` plays with the policy and
 * the window of FILE. What was built before the sources were last changed is not played. Exit code 1 where something
 * differs, 2 where nothing could be played.
 */
import { readdirSync, statSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { corpusFolders } from "../packages/palimpsest/dist/replay/corpus-folders.js";
import { findRecordings } from "../packages/palimpsest/dist/replay/find-recordings.js";
import { firstDifference } from "./request-difference.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    save: { type: "string" },
    compare: { type: "string" },
    json: { type: "boolean", default: false },
    policy: { type: "string" },
    window: { type: "string" },
    show: { type: "string" },
    workers: { type: "string" },
  },
});
for (const name of ["core", "palimpsest"])
  if (isStale(name)) giveUp(`packages/${name} has changed: npm run build first`);
const saved = values.compare === undefined ? undefined : JSON.parse(await readFile(values.compare, "utf8"));
const policy = values.policy ?? saved?.policy ?? "palimpsest";
const window = Number(values.window ?? saved?.window ?? 200_000);
const only = values.show === undefined ? undefined : Number(values.show);
const workers = Number(values.workers ?? availableParallelism());
const paths = positionals.length > 0 ? positionals : corpusFolders(process.env.PALIMPSEST_CORPUS);
const { files, failed } = await findRecordings(paths);
for (const { file, error } of failed) console.error(`${file} ${error}`);
if (files.length === 0 || failed.length > 0)
  giveUp("name recordings, or folders of them in PALIMPSEST_CORPUS");
if (new Set(files.map((file) => basename(file))).size < files.length)
  giveUp("two recordings have the same name: files are told apart by it, so play them one at a time");
if (saved !== undefined && (saved.policy !== policy || saved.window !== window))
  giveUp(`${values.compare} was played with ${saved.policy} and a window of ${saved.window}`);
if (only !== undefined && files.length > 1) giveUp("--show takes one recording");

const started = performance.now();
const played = await playAll(files);
const seconds = (performance.now() - started) / 1000;
if (only !== undefined) show(Object.values(played)[0]);
else report();

function show({ shown, requests }) {
  if (shown === undefined) giveUp(`there are ${requests.length} requests`);
  console.log(JSON.stringify({ headers: shown.headers, body: JSON.parse(shown.body) }, null, 2));
}

function report() {
  const lines = Object.entries(played).map(([name, { sha256, cost, ending, requests }]) => ({
    name,
    sha256,
    requests: requests.length,
    asides: requests.filter(({ isAside }) => isAside).length,
    cost,
    ...(ending === null ? {} : { ending }),
    ...(saved === undefined ? {} : { difference: firstDifference(saved.files[name], played[name]) ?? null }),
  }));
  const differing = lines.filter(({ difference }) => typeof difference === "string").length;
  if (values.json) console.log(JSON.stringify({ policy, window, seconds, files: lines }, null, 2));
  else {
    for (const { name, sha256, requests, asides, cost, ending, difference } of lines) {
      console.log(`${sha256}  ${requests} requests (${asides} beside)  $${cost.toFixed(6)}  ${name}`);
      if (ending !== undefined) console.log(`    ended early: ${ending}`);
      if (saved !== undefined) console.log(`    ${difference ?? "equal"}`);
    }
    const count = lines.reduce((sum, line) => sum + line.requests, 0);
    const cost = lines.reduce((sum, line) => sum + line.cost, 0);
    console.log(
      `${lines.length} recordings, ${count} requests, $${cost.toFixed(6)}; ${policy}, window ${window}; ${seconds.toFixed(0)} s`,
    );
    if (saved !== undefined) {
      const left = Object.keys(saved.files).filter((name) => !Object.hasOwn(played, name)).length;
      const rest = left === 0 ? "" : `, ${left} of ${values.compare} not played`;
      console.log(`${lines.length - differing} equal, ${differing} different${rest}`);
    }
  }
  if (differing > 0) process.exitCode = 1;
}

if (values.save !== undefined) {
  const lines = Object.entries(played).map(
    ([name, one]) => `${JSON.stringify(name)}: ${JSON.stringify(one)}`,
  );
  const head = `"policy": ${JSON.stringify(policy)}, "window": ${window}`;
  await writeFile(values.save, `{${head}, "files": {\n${lines.join(",\n")}\n}}\n`);
}

/** The results by name, in the order of names. */
async function playAll(all) {
  const queue = [...all];
  const results = [];
  const work = async () => {
    const worker = new Worker(new URL("./play-requests.mjs", import.meta.url));
    try {
      for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
        const answer = new Promise((resolve, reject) => {
          worker.once("message", resolve);
          worker.once("error", reject);
        });
        worker.postMessage({ task: { file, policy, window }, only }, []);
        results.push([basename(file), await answer]);
        worker.removeAllListeners("error");
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: Math.min(workers, queue.length) }, work));
  return Object.fromEntries(results.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** What is played is what was built: that of older sources would be equal to anything. */
function isStale(name) {
  const folder = fileURLToPath(new URL(`../packages/${name}/`, import.meta.url));
  const built = statSync(join(folder, "dist", "bundled")).mtimeMs;
  return readdirSync(join(folder, "src"), { recursive: true })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .some((file) => statSync(join(folder, "src", file)).mtimeMs > built);
}

function giveUp(why) {
  console.error(why);
  process.exit(2);
}
