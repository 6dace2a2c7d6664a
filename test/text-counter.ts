import { createSharedCounter } from "../packages/palimpsest/src/simulator/tokens/shared-counter.js";

/** Counts for all simulators of a test run: they are sent the same texts again and again. */
export const textCounter = createSharedCounter();
