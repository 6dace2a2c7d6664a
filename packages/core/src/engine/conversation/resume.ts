import { isBilledCallsRecord } from "../../messages/billed-calls.js";
import { isLateAnswer } from "../../messages/late-answer.js";
import type { Message } from "../../messages/message.js";
import { isTotals } from "../../messages/totals-record.js";
import { isCompactBoundary, preservedSegmentOf } from "../../messages/predicates.js";
import { isLocalClearing, isClearingBoundary } from "../boundaries/clearing-boundary.js";
import { isMediaBoundary } from "../boundaries/media-boundary.js";
import { isOversizeBoundary } from "../boundaries/oversize-boundary.js";
import type { ConversationEvent } from "./event.js";

/** What the live messages of a transcript tell of, in its order. */
export function eventsOf(messages: readonly Message[]): readonly ConversationEvent[] {
  const events: ConversationEvent[] = [];
  let plain: Message[] = [];
  /** Of the messages that a compaction has kept: what they tell of was before it. */
  let keptUntil: string | undefined;
  const flush = (isOld: boolean): void => {
    if (plain.length > 0) events.push({ kind: "resumed", messages: plain, isOld });
    plain = [];
  };
  for (const message of messages) {
    if (isCompactBoundary(message)) {
      flush(false);
      plain.push(message);
      const segment = preservedSegmentOf(message);
      keptUntil = segment?.anchorUuid === null ? undefined : segment?.tailUuid;
      if (keptUntil === undefined) flush(true);
      continue;
    }
    const isKept = keptUntil !== undefined;
    const event = eventOf(message, isKept);
    if (event === undefined) plain.push(message);
    else {
      flush(isKept);
      events.push(event);
    }
    if (message.uuid !== keptUntil) continue;
    keptUntil = undefined;
    flush(true);
  }
  flush(keptUntil !== undefined);
  return events;
}

/** What a message changes in those before it; undefined where it only adds to them. */
function eventOf(message: Message, isKept: boolean): ConversationEvent | undefined {
  if (isClearingBoundary(message)) {
    // Deletions inside a cache ended with it.
    return isKept && !isLocalClearing(message) ? undefined : { kind: "cleared", boundary: message };
  }
  if (isMediaBoundary(message)) return { kind: "media-replaced", boundary: message };
  if (isOversizeBoundary(message)) return { kind: "cut", boundary: message };
  if (isBilledCallsRecord(message)) return { kind: "billed", calls: [], message };
  if (isTotals(message)) return { kind: "told", record: message };
  return isLateAnswer(message) ? { kind: "answered", message } : undefined;
}
