import { isLateAnswer } from "../../messages/late-answer.js";
import type { Message } from "../../messages/message.js";
import { isCompactBoundary, preservedSegmentOf } from "../../messages/predicates.js";
import { bringInSiblings } from "../../messages/transcript/live.js";
import { isLocalClearing, isClearingBoundary } from "../boundaries/clearing-boundary.js";
import { isMediaBoundary } from "../boundaries/media-boundary.js";
import { isOversizeBoundary } from "../boundaries/oversize-boundary.js";
import { isCompactionOutput, overtakenIn, type RewindTarget } from "./rewind-target.js";

/** The live messages up to one of them, with the rest of its round, where they are still what they were then. */
export function liveUpTo(
  live: readonly Message[],
  to: string,
): RewindTarget | "unknown_message" | "originals_missing" {
  const named = live.findLastIndex(({ uuid }) => uuid === to);
  if (named === -1) return "unknown_message";
  const found = placeAfterCompaction(live, named);
  if (found === undefined) return "originals_missing";
  const { at, target } = found;
  const messages = bringInSiblings(live, new Set(live.slice(0, at + 1)), true);
  const uuids = new Set(messages.map(({ uuid }) => uuid));
  if (live.slice(at + 1).some((message) => !uuids.has(message.uuid) && changes(message, messages))) {
    return "originals_missing";
  }
  const last = messages.findLast((message) => isLateAnswer(message) && message.overtakes.includes(target));
  const leftOut = [...overtakenIn(messages)].filter((uuid) => !uuids.has(uuid));
  return { messages, parentUuid: last?.uuid ?? target, leftOut };
}

/**
 * A place in what a compaction wrote becomes its end, and the last that it wrote the message that is gone on after, although
 * what it kept may stand there. Undefined where the place is before it, or was kept by it.
 */
function placeAfterCompaction(
  live: readonly Message[],
  at: number,
): { readonly at: number; readonly target: string } | undefined {
  const place = (index: number) => ({ at: index, target: live[index]?.uuid ?? "" });
  const boundaryAt = live.findLastIndex(isCompactBoundary);
  const boundary = live[boundaryAt];
  if (boundary === undefined || !isCompactBoundary(boundary)) return place(at);
  if (at < boundaryAt) return undefined;
  const segment = preservedSegmentOf(boundary);
  const isBehind = segment !== undefined && segment.anchorUuid !== null;
  const tail = isBehind ? live.findIndex(({ uuid }) => uuid === segment.tailUuid) : -1;
  const anchor = isBehind ? live.findIndex(({ uuid }) => uuid === segment.anchorUuid) : -1;
  if ((at > anchor && at <= tail) || (isBehind && tail === -1)) return undefined;
  let end = Math.max(boundaryAt, tail);
  for (let next = live[end + 1]; next !== undefined && isCompactionOutput(next); next = live[end + 1])
    end += 1;
  if (at >= end) return place(at);
  return end === tail ? { at: end, target: segment?.anchorUuid ?? "" } : place(end);
}

/** Whether a clearing, a replacement or a cut has changed one of these messages. */
function changes(message: Message, before: readonly Message[]): boolean {
  const has = (uuid: string): boolean => before.some((other) => other.uuid === uuid);
  if (isOversizeBoundary(message)) return message.oversizeMetadata.cut.some(({ uuid }) => has(uuid));
  if (isMediaBoundary(message)) {
    const { replaced, thinkingRemovedAfter } = message.mediaMetadata;
    return thinkingRemovedAfter !== undefined || replaced.some(({ uuid }) => has(uuid));
  }
  if (!isClearingBoundary(message) || !isLocalClearing(message)) return false;
  const { toolUseIds, thinkingRemovedAfter } = message.microcompactMetadata;
  const ids = new Set<unknown>(toolUseIds);
  return thinkingRemovedAfter !== undefined || before.some((other) => holdsResult(other, ids));
}

function holdsResult(message: Message, ids: ReadonlySet<unknown>): boolean {
  const content: unknown = message.type === "user" ? message.message.content : undefined;
  return Array.isArray(content) && content.some((block) => ids.has(block?.tool_use_id));
}
