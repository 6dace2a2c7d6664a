/**
 * What policies cost on recorded conversations and what they forget: those of `palimpsest replay`, and real
 * libraries in the same run. PALIMPSEST_CORPUS names the folders of recordings. Defaults are chosen on the set
 * `tuning` and judged on the set `check` (recording-sets.mjs).
 *
 *   npm run build && node bench/replay-bench.mjs
 *     --json            one JSON document
 *     --set tuning|check  one set alone
 *     --policy <list>   other policies than all, as `palimpsest replay` takes them
 *     --sweep           the engine with one setting changed at a time, on the set `tuning`
 *     --sets            only says which recording is in which set
 *     --details         also where recall was lost (kinds of references, tools, turns since a compaction), and time
 *     --workers <n>     conversations played at the same time; 1 leaves times undisturbed
 */
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { policyNames } from "palimpsest/replay";
import { totalsOf } from "../packages/palimpsest/dist/replay/results/totals.js";
import { recordings } from "./recording-sets.mjs";
import { describeDetails, whereBusy, whereMissing } from "./replay-details.mjs";
import { sweptPolicies } from "./replay-sweep.mjs";

const WINDOW = 200_000;
const PEERS = ["langchain-summarization", "langchain-context-editing", "ai-sdk-prune"];
const POLICIES = [...policyNames, ...PEERS];
/** Policies that one reading of a file serves: more would keep the other processors waiting. */
const POLICIES_AT_ONCE = 12;

const skipped = "PALIMPSEST_CORPUS names no folder of recorded conversations: replay has nothing to play";

/** The real libraries alone; `palimpsest bench` has the policies of the product. None without PALIMPSEST_CORPUS. */
export const peersBench = {
  name: "peers",
  async *run() {
    const files = await recordings();
    if (files === undefined) {
      console.error(skipped);
      return;
    }
    const { parts } = await replayAll(files, { policies: PEERS });
    const { total = parts.tuning } = parts;
    for (const [policy, figures] of Object.entries(total.policies)) {
      const { cost, cacheHit, recall, userWords, answered, invalid, overflow, cpuMsP50, cpuMsP99 } = figures;
      const name = `peers.${policy}`;
      yield { name: `${name}.cost`, value: cost, unit: "$" };
      yield { name: `${name}.cache-hit`, value: cacheHit, unit: "ratio" };
      yield { name: `${name}.recall`, value: recall, unit: "ratio" };
      yield { name: `${name}.user-words`, value: userWords, unit: "ratio" };
      yield { name: `${name}.answered`, value: answered, unit: "ratio" };
      yield { name: `${name}.refused`, value: invalid + overflow, unit: "requests" };
      yield { name: `${name}.cpu.p50`, value: cpuMsP50, unit: "ms" };
      yield { name: `${name}.cpu.p99`, value: cpuMsP99, unit: "ms" };
    }
  },
};

async function replayAll(all, { policies, set, details = false, workers = availableParallelism() }) {
  const started = performance.now();
  const files = all.filter((file) => set === undefined || file.set === set);
  const chunks = [];
  for (let at = 0; at < policies.length; at += POLICIES_AT_ONCE)
    chunks.push(policies.slice(at, at + POLICIES_AT_ONCE));
  const tasks = files.flatMap((file) => chunks.map((chunk) => ({ ...file, policies: chunk, details })));
  const played = await playTasks(tasks, workers);
  const parts = Object.fromEntries(
    ["tuning", "check"]
      .map((part) => [part, played.filter((one) => one.set === part)])
      .filter(([, list]) => list.length > 0),
  );
  if (Object.keys(parts).length > 1) parts.total = played;
  return {
    seconds: (performance.now() - started) / 1000,
    descriptions: Object.assign({}, ...played.map(({ descriptions }) => descriptions)),
    parts: Object.fromEntries(
      Object.entries(parts).map(([part, list]) => [part, summed(list, { order: policies, details })]),
    ),
  };
}

/** The largest first, several at a time. */
async function playTasks(tasks, workers) {
  const queue = tasks.toSorted((a, b) => b.size - a.size);
  const played = [];
  const work = async () => {
    const worker = new Worker(new URL("./replay-worker.mjs", import.meta.url));
    try {
      for (let task = queue.shift(); task !== undefined; task = queue.shift()) {
        const { name, path, set, policies, details } = task;
        const answer = new Promise((resolve, reject) => {
          worker.once("message", resolve);
          worker.once("error", reject);
        });
        worker.postMessage({ file: path, policies, window: WINDOW, details }, []);
        played.push({ name, set, ...(await answer) });
        worker.removeAllListeners("error");
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: Math.min(workers, queue.length) }, work));
  return played.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** The figures of several conversations as one, with those of each beside. */
function summed(played, { order, details }) {
  const costs = new Map(played.map(({ name, result }) => [name, result]));
  const results = [...costs.values()];
  const unlimitedCost = sum(results, (result) => result.unlimitedCost);
  const rounds = sum(results, (result) => result.rounds);
  const files = new Map();
  for (const { name: file, result } of played) {
    for (const [name, { recall, cost, endedAtTurn, endedBecause }] of Object.entries(result.policies)) {
      files.set(name, [...(files.get(name) ?? []), { file, cost, recall, endedAtTurn, endedBecause }]);
    }
  }
  const { policies: totals, repositories } = totalsOf(played);
  const place = (name) => order.indexOf(name.replace(/@1h$/, ""));
  const names = [...files.keys()].toSorted((a, b) => place(a) - place(b));
  const policies = names.map((name) => {
    const figures = totals[name];
    const own = played.filter(({ result }) => Object.hasOwn(result.policies, name));
    return [
      name,
      {
        ...figures,
        answered: figures.turns / rounds,
        files: files.get(name),
        ...(details ? { missing: whereMissing(own, name), busy: whereBusy(own, name) } : {}),
      },
    ];
  });
  return { files: costs.size, repositories, rounds, unlimitedCost, policies: Object.fromEntries(policies) };
}

const sum = (list, pick) => list.reduce((total, one) => total + pick(one), 0);
const percent = (share) => `${(share * 100).toFixed(1)}%`;

const between = (interval, show) => interval?.map(show).join("–") ?? "";

const columns = {
  cost: ({ cost }) => `$${cost.toFixed(2)}`,
  "95%": ({ intervals }) => between(intervals?.cost, (value) => `$${value.toFixed(0)}`),
  ratio: ({ costRatio }) => costRatio.toFixed(3),
  "95% of it": ({ intervals }) => between(intervals?.costRatio, (value) => value.toFixed(2)),
  recall: ({ recall }) => percent(recall),
  "lowest file": ({ files }) => percent(Math.min(...files.map(({ recall }) => recall))),
  "user words": ({ userWords }) => percent(userWords),
  invalid: ({ invalid }) => String(invalid),
  overflow: ({ overflow }) => String(overflow),
  answered: ({ answered }) => percent(answered),
  "CPU p99 ms": ({ cpuMsP99 }) => cpuMsP99.toFixed(2),
};

function tableOf(policies) {
  const rows = [
    ["policy", ...Object.keys(columns)],
    ...Object.entries(policies).map(([name, figures]) => [
      name,
      ...Object.values(columns).map((show) => show(figures)),
    ]),
  ];
  const widths = rows[0].map((_, at) => Math.max(...rows.map((row) => row[at].length)));
  return rows
    .map((row) =>
      row
        .map((cell, at) => (at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at])))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

const titles = {
  tuning: "the set that is tuned on",
  check: "the set that is checked on",
  total: "both sets",
};

async function main() {
  const { values } = parseArgs({
    options: {
      json: { type: "boolean", default: false },
      sweep: { type: "boolean", default: false },
      details: { type: "boolean", default: false },
      set: { type: "string" },
      sets: { type: "boolean", default: false },
      workers: { type: "string" },
      policy: { type: "string" },
    },
  });
  const files = await recordings();
  if (files === undefined) {
    console.log(skipped);
    return;
  }
  if (values.sets) {
    for (const { name, set } of files) console.log(`${set.padEnd(6)}  ${name}`);
    return;
  }
  const report = await replayAll(files, {
    policies: values.sweep ? sweptPolicies : (values.policy?.split(",") ?? POLICIES),
    set: values.set ?? (values.sweep ? "tuning" : undefined),
    details: values.details,
    ...(values.workers === undefined ? {} : { workers: Number(values.workers) }),
  });
  if (values.json) {
    console.log(JSON.stringify(report, null, 2));
    return;
  }
  for (const [part, { files: count, repositories, rounds, unlimitedCost, policies }] of Object.entries(
    report.parts,
  )) {
    const about =
      `${count} conversations of ${repositories} repositories, ${rounds} turns; ` +
      `never forgetting: $${unlimitedCost.toFixed(2)}`;
    console.log(`${titles[part]}: ${about}\n\n${tableOf(policies)}\n`);
    if (values.details) {
      for (const [name, figures] of Object.entries(policies))
        console.log(`${name}: ${describeDetails(figures)}\n`);
    }
  }
  for (const [name, description] of Object.entries(report.descriptions))
    if (!name.startsWith("palimpsest")) console.log(`${name}: ${description}`);
  console.log(`\n${report.seconds.toFixed(0)} s`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
