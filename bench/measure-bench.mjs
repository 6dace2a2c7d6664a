import {
  createCompactableTools,
  createContextMeter,
  createDefaultEstimator,
  createHeuristicEstimator,
  createResultIndex,
  decideCached,
  decideSizeBased,
  decideTimeBased,
  defaultSettings,
  findModel,
  noCachedEdits,
} from "@palimpsest/core";
import { createBpeCounter } from "palimpsest/simulator";
import { fileURLToPath } from "node:url";

const base = (uuid) => ({
  uuid,
  parentUuid: null,
  sessionId: "bench",
  timestamp: "2026-11-15T10:00:00.000Z",
});
const OUTPUT =
  "src/engine/measure.ts:42: const tokens = estimate(message); // about what tools print\n".repeat(24);
const percentile = (values, share) => values.toSorted((a, b) => a - b)[Math.floor(values.length * share)];

/** Speed of each estimator on the same 4 MB of tool output, in one run. */
function speeds() {
  const text = Array.from({ length: 2000 }, (_, index) => `${index} ${OUTPUT}`);
  const megabytes = text.reduce((sum, item) => sum + item.length, 0) / 1e6;
  const tokenizer = createBpeCounter();
  const estimators = {
    "characters/4": createHeuristicEstimator().block,
    default: createDefaultEstimator({ model: "claude-opus-5" }).block,
    "BPE tokenizer": (item) => tokenizer.count(item),
  };
  return Object.entries(estimators).map(([name, count]) => {
    for (const item of text.slice(0, 200)) count(item);
    const seconds = Array.from({ length: 5 }, () => {
      const started = process.hrtime.bigint();
      for (const item of text) count(item);
      return Number(process.hrtime.bigint() - started) / 1e9;
    });
    return { name: `estimate.speed.${name}`, value: megabytes / percentile(seconds, 0.5), unit: "MB/s" };
  });
}

function round(number) {
  const usage = { input_tokens: 1000 + number * 900, output_tokens: 50 };
  const call = { type: "tool_use", id: `t${number}`, name: "Bash", input: { command: `step ${number}` } };
  const message = {
    id: `m${number}`,
    role: "assistant",
    model: "claude-opus-5",
    content: [call],
    usage,
    stop_reason: "tool_use",
  };
  const result = { type: "tool_result", tool_use_id: call.id, content: `${number} ${OUTPUT}` };
  return [
    { ...base(`a${number}`), type: "assistant", message },
    { ...base(`r${number}`), type: "user", message: { role: "user", content: [result] } },
  ];
}

const model = findModel("claude-opus-5");

/** Per appended round: the size, and every local variant's decision, none of which clears. Microseconds. */
function turns(messageCount) {
  const estimator = createDefaultEstimator({ model: model.id });
  const meter = createContextMeter({ estimator });
  const index = createResultIndex({ estimator, tools: createCompactableTools() });
  const cost = { prices: model.prices, cache: { state: "warm", ttl: "5m" }, expectedTurnsLeft: 0 };
  let previous;
  let number = 0;
  const turn = (messages) => {
    meter.append(messages);
    index.append(messages);
    const context = { index, estimator, settings: defaultSettings, model, cost };
    const now = index.lastResponseAt + 1000;
    decideTimeBased({ ...context, now, isMainThread: true });
    decideCached({ ...context, state: noCachedEdits, canEditCache: false });
    previous = decideSizeBased({ ...context, ...(previous === undefined ? {} : { previous }) });
    if (previous.kind !== "keep") throw new Error("this conversation is meant to stay as it is");
  };
  for (; number * 2 < messageCount; number += 1) turn(round(number));
  const costs = [];
  for (let sample = 0; sample < 400; sample += 1) {
    const next = round(number);
    number += 1;
    const started = process.hrtime.bigint();
    turn(next);
    costs.push(Number(process.hrtime.bigint() - started) / 1000);
  }
  return costs;
}

/** Named figures with units: estimators against each other; size and clear decision per turn. */
export function measureBench() {
  for (let warmUp = 0; warmUp < 3; warmUp += 1) turns(1000);
  const counts = [100, 10_000];
  const runs = Array.from({ length: 7 }, () => counts.map(turns));
  const [early, late] = counts.map((_, index) => runs.flatMap((run) => run[index]));
  return [
    ...speeds(),
    { name: "measure.turn.100.median", value: percentile(early, 0.5), unit: "µs" },
    { name: "measure.turn.10000.median", value: percentile(late, 0.5), unit: "µs" },
    { name: "measure.turn.10000.p99", value: percentile(late, 0.99), unit: "µs" },
    {
      name: "measure.turn.ratio.10000to100",
      value: percentile(late, 0.5) / percentile(early, 0.5),
      unit: "×",
    },
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.table(measureBench());
