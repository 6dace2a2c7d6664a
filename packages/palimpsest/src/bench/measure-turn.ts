import { createCompactableTools, defaultSettings, findModel, type Message } from "@palimpsest/core";
import {
  createContextMeter,
  createDefaultEstimator,
  createResultIndex,
  decideCached,
  decideSizeBased,
  decideTimeBased,
  noCachedEdits,
} from "@palimpsest/core/engine";
import type { Benchmark } from "./benchmark.js";
import type { Figure } from "./figure.js";
import { assistantMessage, MODEL, toolResult, userMessage } from "./made-up-message.js";
import { microsecondsSince, spreadOf } from "./timing.js";

const OUTPUT =
  "src/engine/measure.ts:42: const tokens = estimate(message); // about what tools print\n".repeat(24);
const SAMPLES = 400;
const RUNS = 7;

function round(number: number): readonly Message[] {
  const id = `t${number}`;
  const call = { type: "tool_use", id, name: "Bash", input: { command: `step ${number}` } } as const;
  const response = {
    id: `m${number}`,
    content: [call],
    usage: { input_tokens: 1000 + number * 900, output_tokens: 50 },
    stop_reason: "tool_use",
  };
  return [
    assistantMessage({ uuid: `a${number}` }, response),
    userMessage({ uuid: `r${number}` }, [toolResult(id, `${number} ${OUTPUT}`)]),
  ];
}

/** Per appended round: the size, and every local variant's decision, none of which clears. Microseconds. */
function turns(messageCount: number): readonly number[] {
  const model = findModel(MODEL);
  if (model === undefined) throw new Error(`${MODEL} is not known`);
  const estimator = createDefaultEstimator({ model: model.id });
  const meter = createContextMeter({ estimator });
  const index = createResultIndex({ estimator, tools: createCompactableTools() });
  const cost = {
    prices: model.prices,
    cache: { state: "warm", ttl: "5m" },
    expectedRoundsLeft: 0,
  } as const;
  let previous: ReturnType<typeof decideSizeBased> | undefined;
  let number = 0;
  const turn = (messages: readonly Message[]): void => {
    meter.append(messages);
    index.append(messages);
    const context = { index, estimator, settings: defaultSettings, model, cost };
    const now = (index.lastResponseAt ?? 0) + 1000;
    decideTimeBased({ ...context, now, isMainThread: true });
    decideCached({ ...context, state: noCachedEdits, canEditCache: false });
    previous = decideSizeBased({ ...context, ...(previous === undefined ? {} : { previous }) });
    if (previous.kind !== "keep") throw new Error("this conversation is meant to stay as it is");
  };
  for (; number * 2 < messageCount; number += 1) turn(round(number));
  const costs: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const next = round(number);
    number += 1;
    const started = process.hrtime.bigint();
    turn(next);
    costs.push(microsecondsSince(started));
  }
  return costs;
}

/** What it costs per turn to know the size of the context, and to decide that nothing is cleared. */
export const measureTurnBenchmark: Benchmark = {
  name: "measure",
  needsRecordings: false,
  *run(): Generator<Figure> {
    for (let warmUp = 0; warmUp < 3; warmUp += 1) turns(1000);
    const costs: { readonly early: number[]; readonly late: number[] } = { early: [], late: [] };
    for (let run = 0; run < RUNS; run += 1) {
      costs.early.push(...turns(100));
      costs.late.push(...turns(10_000));
    }
    const early = spreadOf(costs.early);
    const late = spreadOf(costs.late);
    yield { name: "measure.turn.100.median", value: early.median, unit: "µs" };
    yield { name: "measure.turn.10000.median", value: late.median, unit: "µs" };
    yield { name: "measure.turn.10000.p99", value: late.p99, unit: "µs" };
    yield { name: "measure.turn.ratio.10000to100", value: late.median / early.median, unit: "ratio" };
  },
};
