import {
  findModel,
  normalise,
  type Message,
  type Repair,
  type RepairKind,
  type RequestMessage,
} from "@palimpsest/core";
import { conversationWindows, countRepairs } from "@palimpsest/core/engine";
import { findProblems, type Problem } from "@palimpsest/core/validity";
import type { Recording } from "./readers/recording.js";

/** The model against whose rules recordings of models outside the table are judged. */
export const DEFAULT_JUDGED_MODEL = "claude-opus-5";

export interface RecordingCheck {
  /** Every window of the conversation (one per compaction, and the end) is a request the API accepts. */
  readonly valid: boolean;
  readonly problems: readonly Problem[];
  /** What normalisation had to mend, each place once, by kind. */
  readonly repairs: Readonly<Record<RepairKind, number>>;
  readonly repaired: readonly Repair[];
}

/** Proves that a recording normalises to valid requests: before each compaction, and at its end. */
export function checkRecording(recording: Recording): RecordingCheck {
  const problems: Problem[] = [];
  const repaired = new Map<string, Repair>();
  for (const window of conversationWindows(recording.messages)) {
    const { messages, repairs } = normalise(window);
    problems.push(...findProblems(requestFor(window, messages)));
    // Kept messages stand in two windows: what was mended there counts once.
    for (const repair of repairs) repaired.set(JSON.stringify(repair), repair);
  }
  const distinct = [...repaired.values()];
  return { valid: problems.length === 0, problems, repairs: countRepairs(distinct), repaired: distinct };
}

/** The least request around the messages: recordings do not show their system prompt and tools. */
function requestFor(window: readonly Message[], messages: readonly RequestMessage[]) {
  const recorded = window.findLast(
    (message) => message.type === "assistant" && findModel(message.message.model),
  );
  const model = recorded?.type === "assistant" ? recorded.message.model : DEFAULT_JUDGED_MODEL;
  return { model, max_tokens: 1024, messages };
}
