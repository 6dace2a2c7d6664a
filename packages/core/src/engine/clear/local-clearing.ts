import type { MessageOrigin } from "../../messages/construct.js";
import type { Message } from "../../messages/message.js";
import type { EventEmitter } from "../events/emitter.js";
import type { ReadState } from "../tools/read-state.js";
import { clearBlock, CLEARED_RESULT_TEXT, clearedText } from "../boundaries/cleared-result.js";
import { clearResults } from "../boundaries/clear-results.js";
import { weighChange } from "../money/cost-rule.js";
import type { CostVerdict } from "../events/cost-verdict.js";
import { triggerOf, type ClearContext, type ClearPlan, type PlannedResult } from "./decision.js";
import { createClearingBoundary, type ClearingBoundary } from "../boundaries/clearing-boundary.js";
import type { IndexedResult } from "./result-index.js";
import type { DeletionNotice } from "../boundaries/deletion-notice.js";

/** What clearing a result here would do; undefined for one that would not shrink. */
export function planResult(
  result: IndexedResult,
  { estimator, recallHint }: ClearContext,
): PlannedResult | undefined {
  const text = clearedText(recallHint?.(result.id, result.toolName));
  const tokensAfter = estimator.block(clearBlock(result.block, text));
  if (tokensAfter >= result.tokens) return undefined;
  return { id: result.id, toolName: result.toolName, tokensBefore: result.tokens, tokensAfter, text };
}

export interface ChosenResult {
  readonly result: IndexedResult;
  readonly planned: PlannedResult;
}

/** The plan for clearing these results in the messages themselves. At least one. */
export function planLocalClearing(
  variant: "time-based" | "size-based",
  chosen: readonly ChosenResult[],
  context: ClearContext,
): ClearPlan {
  const { index, model } = context;
  const ordered = chosen.toSorted((a, b) => a.result.order - b.result.order);
  const [first] = ordered;
  const removesThinking = model?.capabilities.thinking.boundToPrefix ?? true;
  const thinkingTokens =
    removesThinking && first !== undefined ? index.thinkingBehind(first.result.callMessage) : 0;
  const cleared = ordered.reduce((sum, { planned }) => sum + planned.tokensBefore - planned.tokensAfter, 0);
  const cost = costOf(ordered, { cleared, thinkingTokens }, context);
  return {
    kind: "clear",
    variant,
    trigger: triggerOf(context),
    results: ordered.map(({ planned }) => planned),
    tokensBefore: index.totalTokens,
    tokensAfter: index.totalTokens - cleared - thinkingTokens,
    ...(removesThinking && first !== undefined
      ? { thinking: { tokens: thinkingTokens, afterMessage: first.result.callUuid } }
      : {}),
    filesLost: index.filesLostWith(new Set(ordered.map(({ result }) => result.id))),
    ...(cost === undefined ? {} : { cost }),
  };
}

function costOf(
  chosen: readonly ChosenResult[],
  { cleared, thinkingTokens }: { readonly cleared: number; readonly thinkingTokens: number },
  { index, cost, settings }: ClearContext,
): CostVerdict | undefined {
  if (cost === undefined) return undefined;
  const start = chosen.reduce((least, { result }) => Math.min(least, result.tokensBefore), index.totalTokens);
  return weighChange(
    {
      cleared,
      suffix: Math.max(0, index.totalTokens - start - cleared - thinkingTokens),
      thinkingLost: thinkingTokens,
      expectedRoundsLeft: cost.expectedRoundsLeft ?? settings.clearExpectedRounds,
    },
    cost,
  );
}

export interface Cleared {
  /** The live messages from now on, the boundary at their end. */
  readonly messages: readonly Message[];
  /** To be stored after the originals. */
  readonly boundary: ClearingBoundary;
  readonly notice: DeletionNotice;
}

export interface ApplyOptions {
  readonly origin: MessageOrigin;
  readonly events?: EventEmitter;
  readonly readState?: Pick<ReadState, "forget"> | undefined;
}

/** Tells the read-state and whoever listens what left the context. */
export function tellOfClearing(
  cleared: Omit<ClearPlan, "kind" | "results" | "thinking"> & { readonly toolUseIds: readonly string[] },
  { events, readState }: Pick<ApplyOptions, "events" | "readState">,
): void {
  const { variant, trigger, toolUseIds, tokensBefore, tokensAfter, cost } = cleared;
  for (const path of cleared.filesLost) readState?.forget(path);
  const priced = cost === undefined ? {} : { cost };
  events?.emit("clearing", { variant, trigger, toolUseIds, tokensBefore, tokensAfter, ...priced });
}

/**
 * Carries a plan of `decideTimeBased` or `decideSizeBased` out. `messages` are the live ones that the index has
 * seen; append the boundary to the index afterwards.
 */
export function applyClearing(messages: readonly Message[], plan: ClearPlan, options: ApplyOptions): Cleared {
  const { variant, trigger, tokensBefore, tokensAfter, thinking } = plan;
  const toolUseIds = plan.results.map(({ id }) => id);
  const texts = plan.results.filter(({ text }) => text !== CLEARED_RESULT_TEXT);
  const boundary = createClearingBoundary(options.origin, {
    variant,
    trigger,
    toolUseIds,
    tokensBefore,
    tokensAfter,
    ...(texts.length === 0 ? {} : { texts: Object.fromEntries(texts.map(({ id, text }) => [id, text])) }),
    ...(thinking === undefined ? {} : { thinkingRemovedAfter: thinking.afterMessage }),
  });
  const cleared = clearResults(messages, boundary);
  tellOfClearing({ ...plan, toolUseIds }, options);
  return {
    messages: cleared,
    boundary,
    notice: { deletedTokens: tokensBefore - tokensAfter, keepsPrefix: false },
  };
}
