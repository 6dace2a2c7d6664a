const SHARE = 0.05;
const LEAST = 2000;
const MOST = 8000;

/** Tokens that the shortest useful summary needs, with all that stands in its message, in a window that fails at `hardAt`. */
export const leastSummaryTokens = (hardAt: number): number =>
  Math.min(MOST, Math.max(LEAST, Math.floor(hardAt * SHARE)));
