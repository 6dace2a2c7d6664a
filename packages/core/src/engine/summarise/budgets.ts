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

/**
 * The settings' figures, or less where the window has no room for them. A conversation that is compacted before its
 * window is full is no reason to quote people with less: where there is nothing to gain, it stays as it is.
 */
export function summaryBudgets({ input, ports, division }: CompactRun): SummaryBudgets {
  const { settings, estimator } = ports;
  const { size, trigger } = input;
  const { compactLeastSaving: leastSaving } = settings;
  const kept = division.kept.reduce((sum, message) => sum + estimator.message(message), 0);
  const roomIn = (mostTokens: number): number => Math.max(0, mostTokens - estimator.pad(kept));
  const room = roomIn(sizeLimit(size, { trigger, leastSaving }));
  const whenFull = { ...size, tokensBefore: Math.max(size.tokensBefore, size.autoCompactAt) };
  const roomWhenFull = roomIn(sizeLimit(whenFull, { trigger: "auto", leastSaving }));
  const totalTokens = Math.min(settings.compactUserTokens, Math.floor(roomWhenFull * QUOTES_SHARE));
  return {
    budgetTokens: Math.min(settings.extractiveTokens, Math.floor(room * SUMMARY_SHARE)),
    perMessageTokens: Math.min(settings.compactUserMessageTokens, totalTokens),
    totalTokens,
  };
}
