import type { Estimator } from "../ports/estimator.js";

const MANY = 1_000_000;

/** The estimate that may turn out to be `tokens` and no more. */
export const unpadded = (tokens: number, estimator: Pick<Estimator, "pad">): number =>
  Math.floor((tokens * MANY) / Math.max(MANY, estimator.pad(MANY)));
