import { createBpeCounter } from "../packages/palimpsest/src/simulator/tokens/bpe-counter.js";
import { createSharedCounter } from "../packages/palimpsest/src/simulator/tokens/shared-counter.js";

const { count } = createBpeCounter();

/**
 * Counts for all simulators of a test run: they are sent the same texts again and again. It only counts, so that a
 * text is the same multiple of its tokens whatever it is made of: made-up texts are of a size that a test names.
 */
export const textCounter = createSharedCounter({ count });
