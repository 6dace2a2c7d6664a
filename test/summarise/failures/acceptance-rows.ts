import { expect } from "vitest";
import { expectCompacted } from "../host.js";
import { answering, summary } from "./good-summary.js";
import { COMPACTED, type FailureRow, type Stage } from "./stage.js";

const HARDLY = "Compacting would not make the conversation noticeably smaller; it is unchanged.";
const STILL_TOO_LARGE =
  "The compacted conversation would still be too large, because system prompt, tools and what has to be kept " +
  "fill the window; it is unchanged.";

const all = (reason: string): readonly string[] =>
  ["fork", "streaming", "extractive"].map((writer) => `${writer}: ${reason}`);

const sizeOf = ({ host }: Stage) => host.input().size;

/** The host's figures, with so many tokens more in system prompt and tools. */
const withOverhead = (stage: Stage, more: number) => {
  const { tokensBefore, overhead, autoCompactAt } = sizeOf(stage);
  return { tokensBefore: tokensBefore + more, overhead: overhead + more, autoCompactAt };
};

export const acceptanceRows: readonly FailureRow[] = [
  {
    name: "less than a tenth would be saved (auto)",
    turns: 2,
    // Everything that is not summarised is system prompt.
    provoke: (stage) => ({ input: { size: withOverhead(stage, 60_000) } }),
    expected: { outcome: "not_smaller", attempts: all("not_smaller"), told: HARDLY },
  },
  {
    name: "less than a tenth would be saved, by hand, before it is due: taken",
    turns: 4,
    provoke: (stage) => ({ input: { trigger: "manual", size: withOverhead(stage, 60_000) } }),
    expected: { outcome: "by fork", told: COMPACTED },
    check: (_stage, outcome) => {
      const { tokensBefore, tokensAfter } = expectCompacted(outcome);
      expect(tokensAfter).toBeLessThan(tokensBefore);
      expect(tokensAfter).toBeGreaterThan(0.9 * tokensBefore);
    },
  },
  {
    name: "the conversation would become larger, by hand",
    host: answering(summary()),
    turns: 0,
    // Nothing was sent yet, so there is no cache to share.
    provoke: () => ({ input: { trigger: "manual" } }),
    expected: {
      outcome: "not_smaller",
      attempts: ["streaming: not_smaller", "extractive: not_smaller"],
      told: HARDLY,
    },
  },
  {
    name: "the system prompt alone is above the threshold",
    turns: 6,
    provoke: (stage) => ({ input: { size: withOverhead(stage, 164_500) } }),
    expected: { outcome: "above_threshold", attempts: all("above_threshold"), told: STILL_TOO_LARGE },
  },
  {
    name: "the kept tail alone is above the threshold",
    provoke: (stage) => ({
      input: {
        scope: { kind: "full", keepRecentTokens: 9000 },
        size: { ...sizeOf(stage), autoCompactAt: 9000 },
      },
    }),
    expected: { outcome: "above_threshold", attempts: all("above_threshold"), told: STILL_TOO_LARGE },
  },
];
