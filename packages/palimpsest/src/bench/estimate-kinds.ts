import { findModel } from "@palimpsest/core";
import { createDefaultEstimator } from "@palimpsest/core/engine";
import { textTokens } from "../simulator/tokens/block-tokens.js";
import { createBpeCounter } from "../simulator/tokens/bpe-counter.js";
import type { Benchmark } from "./benchmark.js";
import type { Figure } from "./figure.js";
import { textKinds } from "./text-kinds/text-kinds.js";

const CHARACTERS = 20_000;
/** Not the texts that the weights were looked at with. */
const SEED = 20_261_116;
/** A model for each generation of tokenizers. */
const models = { newer: "claude-opus-5", older: "claude-haiku-4-5" } as const;

/** What the estimator says of each kind of text at first sight, as a multiple of what the simulator counts. */
export const estimateKindsBenchmark: Benchmark = {
  name: "estimate.kind",
  needsRecordings: false,
  *run(): Generator<Figure> {
    const counter = createBpeCounter();
    for (const [tokenizer, id] of Object.entries(models)) {
      const model = findModel(id);
      if (model === undefined) throw new Error(`${id} is not in the table of models`);
      const estimator = createDefaultEstimator({ model: id });
      for (const { name, make } of textKinds) {
        const text = make(CHARACTERS, SEED);
        const value = estimator.block(text) / textTokens(text, model, counter);
        yield { name: `estimate.kind.${tokenizer}.${name.replaceAll(" ", "-")}`, value, unit: "ratio" };
      }
    }
  },
};
