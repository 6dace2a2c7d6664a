import { findModel } from "@palimpsest/core";
import {
  estimateRecording,
  reportEstimates,
  type EstimatedGrowth,
  type EstimatorName,
} from "../replay/estimate-recording.js";
import { readRecording } from "../replay/readers/read-recording.js";
import type { Benchmark } from "./benchmark.js";
import type { Figure } from "./figure.js";

const names: readonly EstimatorName[] = ["default", "heuristic", "chars4"];

/** How far estimates of tokens are off, against the usage that recordings hold, by generation of tokenizers. */
export const estimateErrorBenchmark: Benchmark = {
  name: "estimate.error",
  needsRecordings: true,
  async *run({ recordings, tell }): AsyncGenerator<Figure> {
    const growths = new Map<string, EstimatedGrowth[]>();
    for (const [index, file] of recordings.entries()) {
      tell(`estimate.error: ${index + 1} of ${recordings.length}`);
      for (const growth of estimateRecording(await readRecording(file))) {
        const tokenizer = findModel(growth.model)?.tokenizer ?? "other";
        const known = growths.get(tokenizer);
        if (known === undefined) growths.set(tokenizer, [growth]);
        else known.push(growth);
      }
    }
    for (const [tokenizer, list] of [...growths].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      const { estimators } = reportEstimates(list);
      for (const name of names) {
        const { median, p90 } = estimators[name];
        yield { name: `estimate.error.${tokenizer}.${name}.median`, value: median, unit: "ratio" };
        yield { name: `estimate.error.${tokenizer}.${name}.p90`, value: p90, unit: "ratio" };
      }
    }
  },
};
