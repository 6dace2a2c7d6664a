import { isCompactBoundary, type Message } from "@palimpsest/core";
import { isRewound, linkLive, undoneBoundary } from "@palimpsest/core/engine";
import { isOwnBoundary, unpackBoundaries } from "../boundary-texts.js";
import type { ByteSource } from "./byte-source.js";
import { unpackPlaced, type PlacedBoundary } from "./earlier-texts.js";
import { segmentLines, readHinted, segmentOf } from "./preserved-segment.js";
import { decodeRawLine, type PlacedDamage, type PlacedMessage } from "./raw-line.js";
import { linesBackward } from "./read-backward.js";
import { readForward, type PlacedContent } from "./read-forward.js";

/**
 * The live messages of the transcript that ends at `end`, in live order: the same as `liveMessages` of all its
 * messages. Costs the lines since the last boundary, its segment, and the boundaries that hold what people said; the
 * whole file only where the branch leads to before the boundary, or where something is not where it should be.
 */
export async function readLive(source: ByteSource, end: number): Promise<PlacedContent> {
  const near = await readNear(source, end);
  const unpacked = near === undefined ? undefined : await withTexts(source, near);
  if (unpacked !== undefined) return unpacked;
  const all = await readWhole(source, end);
  return { messages: link([], all.messages).live, damaged: all.damaged };
}

/** Every message before `end`, oldest first, as it was appended. */
export async function readWhole(source: ByteSource, end: number): Promise<PlacedContent> {
  const { messages, damaged } = await readForward(source, end);
  const unpacked = unpackBoundaries(messages.map(({ message }) => message)).messages;
  return {
    messages: messages.map((placed, at) => ({ ...placed, message: unpacked[at] ?? placed.message })),
    damaged,
  };
}

/** The live messages with what people said in the boundary among them; undefined where that is not to be found. */
async function withTexts(source: ByteSource, near: PlacedContent): Promise<PlacedContent | undefined> {
  const messages: PlacedMessage[] = [];
  for (const placed of near.messages) {
    const unpacked = isPlacedBoundary(placed) ? await unpackPlaced(source, placed) : undefined;
    if (isPlacedBoundary(placed) && unpacked === undefined) return undefined;
    messages.push(unpacked === undefined ? placed : { ...placed, message: unpacked.boundary });
  }
  return { ...near, messages };
}

const isPlacedBoundary = (placed: PlacedMessage): placed is PlacedBoundary => isOwnBoundary(placed.message);

/** Boundaries that are gone back over for what the last one kept, before everything is read at once. */
const MOST_STEPS_BACK = 32;

/** The same without ever reading everything; undefined where that would be needed. */
async function readNear(source: ByteSource, end: number, steps = 0): Promise<PlacedContent | undefined> {
  const { boundary, ...since } = await readBackToBoundary(source, end);
  if (boundary === undefined) return { ...since, messages: link([], since.messages).live };
  // A compaction that was taken back, or gone back over: the branch leads to before its boundary.
  const { uuid } = boundary.message;
  const later = new Set(since.messages.map(({ message }) => message.uuid));
  const leadsBack = (message: Message): boolean =>
    undoneBoundary(message) === uuid || (isRewound(message) && !later.has(message.parentUuid ?? ""));
  if (since.messages.some(({ message }) => leadsBack(message))) return undefined;
  const kept = await readKept(source, boundary, steps);
  if (kept === undefined) return undefined;
  const { live, isComplete } = link(kept.messages, since.messages);
  if (!isComplete) return undefined;
  return { messages: live, damaged: [...kept.damaged, ...since.damaged] };
}

/** The boundary's segment: from where the hint says it lies, otherwise out of what was live before the boundary. */
async function readKept(
  source: ByteSource,
  boundary: PlacedMessage,
  steps: number,
): Promise<PlacedContent | undefined> {
  const segment = segmentOf(boundary.message);
  if (segment === undefined) return { messages: [], damaged: [] };
  const hinted = await readHinted(source, segment, boundary.start);
  if (hinted !== undefined) return { messages: hinted, damaged: [] };
  const before = steps < MOST_STEPS_BACK ? await readNear(source, boundary.start, steps + 1) : undefined;
  if (before === undefined) return undefined;
  const messages = segmentLines(before.messages, segment);
  return messages.length === 0 ? undefined : { messages, damaged: before.damaged };
}

interface Tail extends PlacedContent {
  /** The first of the messages; undefined where the whole file holds none. */
  readonly boundary: PlacedBoundary | undefined;
}

/** From the last boundary on, or everything where there is none. */
export async function readBackToBoundary(source: ByteSource, end: number): Promise<Tail> {
  const messages: PlacedMessage[] = [];
  const damaged: PlacedDamage[] = [];
  for await (const lines of linesBackward(source, end)) {
    for (const line of lines) {
      const decoded = decodeRawLine(line);
      if (decoded.kind === "damaged") damaged.push({ offset: line.start, reason: decoded.reason });
      if (decoded.kind !== "message") continue;
      const placed = { message: decoded.message, start: line.start, end: line.end };
      messages.push(placed);
      if (isPlacedBoundary(placed)) return { messages: messages.toReversed(), damaged, boundary: placed };
    }
  }
  return { messages: messages.toReversed(), damaged, boundary: undefined };
}

interface Linked {
  readonly live: readonly PlacedMessage[];
  readonly isComplete: boolean;
}

/**
 * Links what is known to be the segment with what came since. What `linkLive` is given stands for the real
 * messages: the segment's go in without their parents, because a list without links is taken as it stands,
 * and without the older boundaries among them; the boundary names the ends of what is left.
 */
function link(segment: readonly PlacedMessage[], since: readonly PlacedMessage[]): Linked {
  const kept = segment.filter(({ message }) => !isCompactBoundary(message));
  const placed = new Map<Message, PlacedMessage>();
  const standFor = (item: PlacedMessage, message: Message): Message => {
    placed.set(message, item);
    return message;
  };
  const {
    messages,
    billed = [],
    missing,
  } = linkLive([
    ...kept.map((item) => standFor(item, { ...item.message, parentUuid: null })),
    ...since.map((item, index) =>
      standFor(item, index === 0 && segment.length > 0 ? withEnds(item.message, kept) : item.message),
    ),
  ]);
  const live = [...messages, ...billed].flatMap((message) => placed.get(message) ?? []);
  return { live, isComplete: missing === undefined };
}

function withEnds(boundary: Message, kept: readonly PlacedMessage[]): Message {
  if (!isCompactBoundary(boundary) || boundary.compactMetadata === undefined) return boundary;
  if (segmentOf(boundary) === undefined) return boundary;
  const { preservedSegment, ...metadata } = boundary.compactMetadata;
  const [head, tail] = [kept[0]?.message.uuid, kept.at(-1)?.message.uuid];
  if (head === undefined || tail === undefined) {
    return { ...boundary, compactMetadata: metadata } as Message;
  }
  const ends = { ...preservedSegment, headUuid: head, tailUuid: tail };
  return { ...boundary, compactMetadata: { ...metadata, preservedSegment: ends } } as Message;
}
