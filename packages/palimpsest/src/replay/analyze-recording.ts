import {
  isCompactBoundary,
  type Accounting,
  type ContextSize,
  type Message,
  findModel,
} from "@palimpsest/core";
import {
  liveMessages,
  accountFor,
  createContextMeter,
  createDefaultEstimator,
  readUsage,
} from "@palimpsest/core/engine";
import type { Recording } from "./readers/recording.js";
import { recordedBreaks, type RecordedBreak } from "./recorded-breaks.js";
import { recordedCost, type RecordedCost } from "./recorded-cost.js";

export interface RecordedCompaction {
  readonly at: string;
  readonly trigger: string;
  readonly preTokens: number;
  /** Input tokens of the first request after it; null where none was recorded. */
  readonly postTokens: number | null;
  /** Milliseconds until that response. */
  readonly milliseconds: number | null;
}

export interface RecordingAnalysis {
  /** The model that the live part was last written by. */
  readonly model: string | null;
  readonly size: ContextSize;
  /** Over the messages after the last boundary. */
  readonly accounting: Accounting;
  readonly duplicateReads: Accounting["duplicateReads"];
  /** Over all of the main conversation, in its order. */
  readonly cacheBreaks: readonly RecordedBreak[];
  readonly compactions: readonly RecordedCompaction[];
  /** Over all of it, subagents included. */
  readonly cost: RecordedCost;
}

/** What a recorded conversation's context consists of now, what its cache lost, and when it was compacted. */
export function analyzeRecording(recording: Recording): RecordingAnalysis {
  const live = liveMessages(recording.messages);
  const last = live.findLast(
    (message) => message.type === "assistant" && message.message.usage !== undefined,
  );
  const model = last?.type === "assistant" ? last.message.model : namedModel(live);
  const estimator = createDefaultEstimator({ model: model ?? "" });
  const accounting = accountFor(live, estimator);
  return {
    model,
    size: createContextMeter({ estimator }).append(live),
    accounting,
    duplicateReads: accounting.duplicateReads,
    cacheBreaks: recordedBreaks(recording),
    compactions: compactionsIn(recording.messages),
    cost: recordedCost(recording.messages),
  };
}

/** A list of messages may name its model, and no usage. */
function namedModel(live: readonly Message[]): string | null {
  const last = live.findLast(
    (message) => message.type === "assistant" && findModel(message.message.model) !== undefined,
  );
  return last?.type === "assistant" ? last.message.model : null;
}

function compactionsIn(messages: readonly Message[]): readonly RecordedCompaction[] {
  let next: Message | undefined;
  const backward = messages.toReversed().flatMap((message) => {
    if (message.type === "assistant" && message.message.usage !== undefined) next = message;
    if (!isCompactBoundary(message) || message.isSidechain === true) return [];
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
