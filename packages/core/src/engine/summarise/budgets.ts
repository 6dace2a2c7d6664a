import type { CompactRun } from "./compact-run.js";
import { sizeLimit } from "./new-size.js";

/** What a summary may hold, in tokens. */
export interface SummaryBudgets {
  /** Of everything but the section that quotes people. */
  readonly budgetTokens: number;
  /** Of one quoted message, and of all of them. */
  readonly perMessageTokens: number;
  readonly totalTokens: number;
}

/** Shares of the room that a small window leaves; large windows have the settings' figures. */
const SUMMARY_SHARE = 0.3;
const QUOTES_SHARE = 0.4;

/** The settings' figures, or less where the window has no room for them. */
export function summaryBudgets({ input, ports, division }: CompactRun): SummaryBudgets {
  const { settings, estimator } = ports;
  const mostTokens = sizeLimit(input.size, {
    trigger: input.trigger,
    leastSaving: settings.compactLeastSaving,
  });
  const kept = division.kept.reduce((sum, message) => sum + estimator.message(message), 0);
  const room = Math.max(0, mostTokens - estimator.pad(kept));
  const totalTokens = Math.min(settings.compactUserTokens, Math.floor(room * QUOTES_SHARE));
  return {
    budgetTokens: Math.min(settings.extractiveTokens, Math.floor(room * SUMMARY_SHARE)),
    perMessageTokens: Math.min(settings.compactUserMessageTokens, totalTokens),
    totalTokens,
  };
}
