import { createDefaultEstimator, createHeuristicEstimator } from "@palimpsest/core/engine";
import { createBpeCounter } from "../simulator/tokens/bpe-counter.js";
import type { Benchmark } from "./benchmark.js";
import type { Figure } from "./figure.js";
import { MODEL } from "./made-up-message.js";
import { median, microsecondsSince } from "./timing.js";

const OUTPUT =
  "src/engine/measure.ts:42: const tokens = estimate(message); // about what tools print\n".repeat(24);
const RUNS = 5;

/** How fast each way of counting tokens goes through the same 4 MB of tool output. */
export const estimateSpeedBenchmark: Benchmark = {
  name: "estimate.speed",
  needsRecordings: false,
  *run(): Generator<Figure> {
    const texts = Array.from({ length: 2000 }, (_, index) => `${index} ${OUTPUT}`);
    const megabytes = texts.reduce((sum, text) => sum + text.length, 0) / 1e6;
    const heuristic = createHeuristicEstimator();
    const estimator = createDefaultEstimator({ model: MODEL });
    const tokenizer = createBpeCounter();
    const ways: Readonly<Record<string, (text: string) => number>> = {
      chars4: (text) => heuristic.block(text),
      default: (text) => estimator.block(text),
      bpe: (text) => tokenizer.count(text),
    };
    for (const [name, count] of Object.entries(ways)) {
      for (const text of texts.slice(0, 200)) count(text);
      const times = Array.from({ length: RUNS }, () => {
        const started = process.hrtime.bigint();
        // What nobody uses the compiler would not count.
        const tokens = texts.reduce((sum, text) => sum + count(text), 0);
        const time = microsecondsSince(started);
        if (tokens === 0) throw new Error(`${name} counts nothing`);
        return time;
      });
      yield { name: `estimate.speed.${name}`, value: (megabytes * 1e6) / median(times), unit: "MB/s" };
    }
  },
};
