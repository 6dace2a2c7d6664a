import type { CompactInput, CompactRun } from "../run/compact-run.js";
import { roomBesideKept } from "./keep-unanswered.js";

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
/** Where there has to be less, quotes keep so many times the share of the rest. */
const WORDS_FIRST = 4;

/**
 * The settings' figures, or less where the window has no room for them. A conversation that is compacted before its
 * window is full is no reason to quote people with less: where there is nothing to gain, it stays as it is. `share`: so
 * much of what is not quoted.
 */
export function summaryBudgets(run: CompactRun, share = 1): SummaryBudgets {
  const { input } = run;
  const { settings } = run.ports;
  const room = roomBesideKept(run);
  const tokensBefore = Math.max(input.size.tokensBefore, input.size.autoCompactAt);
  const whenFull: CompactInput = { ...input, trigger: "auto", size: { ...input.size, tokensBefore } };
  const roomWhenFull = roomBesideKept({ ...run, input: whenFull });
  const totalTokens = Math.min(settings.compactUserTokens, Math.floor(roomWhenFull * QUOTES_SHARE));
  const budgetTokens = Math.min(settings.extractiveTokens, Math.floor(room * SUMMARY_SHARE));
  const perMessageTokens = Math.min(settings.compactUserMessageTokens, totalTokens);
  // What people said goes last.
  const words = Math.min(1, share * WORDS_FIRST);
  return {
    budgetTokens: Math.floor(budgetTokens * share),
    perMessageTokens: Math.floor(perMessageTokens * words),
    totalTokens: Math.floor(totalTokens * words),
  };
}
