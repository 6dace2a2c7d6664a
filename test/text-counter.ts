import { createSharedCounter } from "../packages/palimpsest/src/replay/play/shared-counter.js";

/** Counts for all simulators of a test run: they are sent the same texts again and again. */
export const textCounter = createSharedCounter();
