import { isFields } from "../../../messages/fields.js";
import type { Message } from "../../../messages/message.js";
import { isCompactBoundary, isSyntheticError } from "../../../messages/predicates.js";
import { sampledFigures } from "../../../messages/usage.js";
import { readUsage } from "../../measure/growth.js";
import type { PromptRequest } from "./gap-evidence.js";

/** A request of a conversation as its transcript tells of it. */
export interface RecordedRequest extends PromptRequest {
  readonly model: string;
  /** The first one after a compaction. */
  readonly followsCompaction: boolean;
}

/**
 * The requests that a conversation's messages show, oldest first, each response once, other conversations beside
 * it left out. A request began when the last thing before its response was written. What the request before it
 * held is its prefix; after a compaction or a change of model, what the cache still gave.
 */
export function recordedRequests(messages: readonly Message[]): readonly RecordedRequest[] {
  const requests: RecordedRequest[] = [];
  const seen = new Set<string>();
  let asked = Number.NaN;
  let isCompacted = false;
  for (const message of messages) {
    if (message.isSidechain === true) continue;
    if (isCompactBoundary(message)) isCompacted = true;
    if (message.type === "user" || message.type === "attachment") asked = timeOf(message) ?? asked;
    if (message.type !== "assistant" || isSyntheticError(message)) continue;
    const { id, model, usage } = message.message ?? {};
    const total = readUsage(usage)?.inputTokens;
    const answered = timeOf(message) ?? asked;
    if (total === undefined || !Number.isFinite(answered) || seen.has(id)) continue;
    seen.add(id);
    const before = requests.at(-1);
    const isContinued = before !== undefined && !isCompacted && before.model === model;
    const known = isContinued ? before.prefixTokens + before.newTokens : cacheRead(usage);
    const prefixTokens = Math.min(known, total);
    const began = Number.isFinite(asked) ? Math.min(asked, answered) : answered;
    requests.push({
      at: Math.max(began, before?.at ?? began),
      prefixTokens,
      newTokens: total - prefixTokens,
      model,
      followsCompaction: isCompacted,
    });
    isCompacted = false;
  }
  return requests;
}

function timeOf({ timestamp }: Message): number | undefined {
  const time = Date.parse(timestamp);
  return Number.isFinite(time) ? time : undefined;
}

function cacheRead(usage: unknown): number {
  const read = isFields(usage) ? sampledFigures(usage)["cache_read_input_tokens"] : undefined;
  return typeof read === "number" && read > 0 ? read : 0;
}
