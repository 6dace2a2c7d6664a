import { isLateAnswer } from "../../messages/late-answer.js";
import type { Message } from "../../messages/message.js";
import { isPinnedCopy } from "../../messages/pinned.js";
import { isCompactBoundary } from "../../messages/predicates.js";
import { isClearingBoundary } from "../boundaries/clearing-boundary.js";
import { isMediaBoundary } from "../boundaries/media-boundary.js";
import { isOversizeBoundary } from "../boundaries/oversize-boundary.js";
import { isSummary } from "../oversize/unanswered.js";

/** After which message a conversation goes on. */
export interface RewindTarget {
  readonly parentUuid: string;
  /** On the way to that message, and not part of it. */
  readonly leftOut: readonly string[];
  /** What stands before; left out where what was stored tells. */
  readonly messages?: readonly Message[];
}

/** What a compaction writes after its boundary. */
export const isCompactionOutput = (message: Message): boolean =>
  message.type === "attachment" ||
  isPinnedCopy(message) ||
  isSummary(message) ||
  isClearingBoundary(message) ||
  isMediaBoundary(message) ||
  isOversizeBoundary(message);

/** Of a place in what a compaction wrote: its end, because one part of it means nothing without the rest. Else the place. */
export function compactionEnd(stored: readonly Message[], at: number): number {
  let start = at;
  while (start >= 0 && isCompactionOutput(stored[start] as Message)) start -= 1;
  const boundary = stored[start];
  if (boundary === undefined || !isCompactBoundary(boundary)) return at;
  let end = at;
  for (let next = stored[end + 1]; next !== undefined && isCompactionOutput(next); next = stored[end + 1]) {
    end += 1;
  }
  return end;
}

/** What responses have overtaken that were on their way. */
export const overtakenIn = (messages: readonly Message[]): ReadonlySet<string> =>
  new Set(messages.flatMap((message) => (isLateAnswer(message) ? message.overtakes : [])));
