import type { Estimator } from "../../ports/estimator.js";

export interface CountedEstimator {
  readonly estimator: Estimator;
  /** Characters of the texts that it was asked about so far, each as often as it was. */
  readonly characters: () => number;
}

/** An estimator that says the same, and counts how much it has to read. */
export function countCharacters(of: Estimator): CountedEstimator {
  let characters = 0;
  const estimator: Estimator = {
    ...of,
    block(block) {
      characters += typeof block === "string" ? block.length : JSON.stringify(block).length;
      return of.block(block);
    },
  };
  return { estimator, characters: () => characters };
}
