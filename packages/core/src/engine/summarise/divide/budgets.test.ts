import { describe, expect, it } from "vitest";
import { createDefaultEstimator } from "../../measure/default-estimator.js";
import { defaultSettings } from "../../settings/settings.js";
import type { CompactRun } from "../run/compact-run.js";
import { summaryBudgets } from "./budgets.js";

const run = {
  input: {
    trigger: "auto",
    size: {
      tokensBefore: 150_000,
      overhead: 0,
      autoCompactAt: 160_000,
      contextWindow: 200_000,
      hardAt: 180_000,
    },
  },
  division: { kept: [], summarised: [], variant: "full" },
  ports: { estimator: createDefaultEstimator({ model: "claude-opus-5" }), settings: defaultSettings },
} as unknown as CompactRun;

describe("where a summary has to be shorter", () => {
  const whole = summaryBudgets(run);

  it.each([
    [0.5, 1],
    [0.2, 0.8],
    [0.05, 0.2],
  ])("at %f of the rest what people said keeps %f of its room", (share, words) => {
    const less = summaryBudgets(run, share);
    expect(less.budgetTokens).toBe(Math.floor(whole.budgetTokens * share));
    expect(less.totalTokens).toBe(Math.floor(whole.totalTokens * words));
    expect(less.perMessageTokens).toBe(Math.floor(whole.perMessageTokens * words));
  });
});
