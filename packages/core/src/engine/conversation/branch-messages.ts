import { createSystemMessage, type MessageOrigin } from "../../messages/construct.js";
import { isLateAnswer } from "../../messages/late-answer.js";
import type { CompactBoundary, Message, SystemMessage } from "../../messages/message.js";
import { isCompactBoundary, preservedSegmentOf } from "../../messages/predicates.js";

/** The first message of a conversation that goes on from another one. */
interface BranchedMarker extends SystemMessage {
  readonly subtype: "branched";
  readonly branchedFrom: {
    readonly sessionId: string;
    /** The last message that both have; null where there was none. */
    readonly uuid: string | null;
  };
}

/**
 * What the transcript of a branch begins with: a marker, and the live messages as they stand, so that reading it gives
 * them again. `origin` is the branch's.
 */
export function branchMessages(
  live: readonly Message[],
  { origin, from }: { readonly origin: Omit<MessageOrigin, "parentUuid">; readonly from: string },
): readonly Message[] {
  const base = createSystemMessage(
    { ...origin, parentUuid: null },
    { subtype: "branched", content: "Branched from another conversation", level: "info" },
  );
  const branchedFrom = { sessionId: from, uuid: live.at(-1)?.uuid ?? null };
  const marker: BranchedMarker = { ...base, subtype: "branched", branchedFrom };
  let last: string = marker.uuid;
  const copies = inStoredOrder(live).map((message): Message => {
    const link = isCompactBoundary(message)
      ? { parentUuid: null, logicalParentUuid: last }
      : { parentUuid: last };
    last = message.uuid;
    return { ...message, ...link, sessionId: origin.sessionId };
  });
  return [marker, ...copies];
}

/** As a transcript tells it: answers after what they have overtaken, and what a compaction has kept before its boundary. */
function inStoredOrder(live: readonly Message[]): readonly Message[] {
  const stored: Message[] = [];
  const waiting: { readonly answer: Message; readonly until: string }[] = [];
  for (const message of live) {
    const overtaken = isLateAnswer(message) ? message.overtakes : [];
    const until = live.findLast(({ uuid }) => overtaken.includes(uuid))?.uuid;
    if (until === undefined) stored.push(message);
    else waiting.push({ answer: message, until });
    stored.push(...waiting.flatMap((one) => (one.until === message.uuid ? [one.answer] : [])));
  }
  const at = stored.findLastIndex(isCompactBoundary);
  const boundary = stored[at] as CompactBoundary | undefined;
  const segment = boundary && preservedSegmentOf(boundary);
  if (boundary === undefined || segment === undefined) return stored;
  const placeOf = (name: string | null): number => stored.findIndex(({ uuid }) => uuid === name);
  const isBefore = segment.anchorUuid === null;
  const head = isBefore ? 0 : Math.max(placeOf(segment.headUuid), placeOf(segment.anchorUuid) + 1);
  const tail = isBefore ? at - 1 : placeOf(segment.tailUuid);
  const kept = stored.slice(head, tail + 1);
  const rest = stored.filter((message) => message !== boundary && !kept.includes(message));
  return [...kept, withEnds(boundary, kept), ...rest];
}

/** What is kept may be less by now: a message that held thinking alone is gone with it. */
function withEnds(boundary: CompactBoundary, kept: readonly Message[]): CompactBoundary {
  const { compactMetadata } = boundary;
  if (compactMetadata === undefined) return boundary;
  const { preservedSegment, ...metadata } = compactMetadata;
  const [head, tail] = [kept[0], kept.at(-1)];
  if (preservedSegment === undefined || head === undefined || tail === undefined)
    return { ...boundary, compactMetadata: metadata };
  const { anchorUuid } = preservedSegment;
  const ends = { headUuid: head.uuid, tailUuid: tail.uuid, anchorUuid };
  return { ...boundary, compactMetadata: { ...metadata, preservedSegment: ends } };
}
