import {
  isCompactBoundary,
  type Accounting,
  type ContextSize,
  type Message,
  findModel,
} from "@palimpsest/core";
import { liveMessages, createDefaultEstimator, isClearingBoundary, readUsage } from "@palimpsest/core/engine";
import type { Recording } from "./readers/recording.js";
import { recordedBreaks, type RecordedBreak } from "./recorded-breaks.js";
import { recordedContext } from "./recorded-context.js";
import { recordedCost, type RecordedCost } from "./recorded-cost.js";
import { recordedUnknowns, type RecordedUnknown } from "./recorded-unknowns.js";

export interface RecordedCompaction {
  readonly at: string;
  readonly trigger: string;
  readonly preTokens: number;
  /** Input tokens of the first request after it; null where none was recorded. */
  readonly postTokens: number | null;
  /** Milliseconds until that response. */
  readonly milliseconds: number | null;
}

/** Results that were taken out of the context without a summary. */
export interface RecordedClearing {
  readonly at: string;
  readonly results: number;
  /** By the estimate of the time. */
  readonly freedTokens: number;
}

export interface RecordingAnalysis {
  /** The model that the live part was last written by. */
  readonly model: string | null;
  readonly size: ContextSize;
  /**
   * What is in the context at the end, by its parts: they sum to `size.tokens`. `attachments` holds system prompt and
   * tools as `system-and-tools`, and what usage tells of and no message does as `unrecorded`.
   */
  readonly accounting: Accounting;
  readonly duplicateReads: Accounting["duplicateReads"];
  /** Over all of the main conversation, in its order. */
  readonly cacheBreaks: readonly RecordedBreak[];
  readonly compactions: readonly RecordedCompaction[];
  readonly clearings: readonly RecordedClearing[];
  /** Over all of it, subagents included. */
  readonly cost: RecordedCost;
  /** What the recording cannot tell. */
  readonly unknown: readonly RecordedUnknown[];
}

/** What a recorded conversation's context consists of now, what its cache lost, and when it was compacted. */
export function analyzeRecording(recording: Recording): RecordingAnalysis {
  const { messages } = recording;
  const model = modelOf(liveMessages(messages));
  const { size, accounting, head } = recordedContext(
    messages,
    createDefaultEstimator({ model: model ?? "" }),
  );
  const cost = recordedCost(messages);
  return {
    model,
    size,
    accounting,
    duplicateReads: accounting.duplicateReads,
    cacheBreaks: recordedBreaks(recording),
    compactions: compactionsIn(messages),
    clearings: clearingsIn(messages),
    cost,
    unknown: recordedUnknowns(messages, { head, cost, damagedLines: recording.damaged.length }),
  };
}

/** A list of messages may name its model, and no usage. */
export function modelOf(live: readonly Message[]): string | null {
  const last =
    live.findLast((message) => message.type === "assistant" && message.message.usage !== undefined) ??
    live.findLast(
      (message) => message.type === "assistant" && findModel(message.message.model) !== undefined,
    );
  return last?.type === "assistant" ? last.message.model : null;
}

/** The compactions of the main conversation, in the order of the file. */
export function compactionsIn(messages: readonly Message[]): readonly RecordedCompaction[] {
  let next: Message | undefined;
  const backward = messages.toReversed().flatMap((message) => {
    if (message.isSidechain === true) return [];
    if (message.type === "assistant" && message.message.usage !== undefined) next = message;
    if (!isCompactBoundary(message)) return [];
    const usage = next?.type === "assistant" ? next.message.usage : undefined;
    const elapsed =
      next === undefined ? Number.NaN : Date.parse(next.timestamp) - Date.parse(message.timestamp);
    return [
      {
        at: message.timestamp,
        trigger: message.compactMetadata?.trigger ?? "unknown",
        preTokens: message.compactMetadata?.preTokens ?? 0,
        postTokens: readUsage(usage)?.inputTokens ?? null,
        milliseconds: Number.isFinite(elapsed) ? elapsed : null,
      },
    ];
  });
  return backward.toReversed();
}

/** The clearings of the main conversation, in the order of the file. */
export const clearingsIn = (messages: readonly Message[]): readonly RecordedClearing[] =>
  messages.flatMap((message) => {
    if (message.isSidechain === true || !isClearingBoundary(message)) return [];
    const { toolUseIds, tokensBefore, tokensAfter } = message.microcompactMetadata;
    return [
      {
        at: message.timestamp,
        results: toolUseIds.length,
        freedTokens: Math.max(0, tokensBefore - tokensAfter),
      },
    ];
  });
