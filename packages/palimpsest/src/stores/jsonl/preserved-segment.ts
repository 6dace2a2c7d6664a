import type { Message, PreservedSegment } from "@palimpsest/core";
import { preservedSegmentOf } from "@palimpsest/core/engine";
import { isOwnBoundary } from "../boundary-texts.js";
import type { ByteSource } from "./byte-source.js";
import { decodeRawLine, isUnfinished, type PlacedMessage } from "./raw-line.js";
import { linesForward } from "./read-forward.js";

type ByteRange = NonNullable<PreservedSegment["byteRanges"]>[number];

/** What the conversation's own boundary kept. */
export function segmentOf(boundary: Message): PreservedSegment | undefined {
  return isOwnBoundary(boundary) ? preservedSegmentOf(boundary) : undefined;
}

/**
 * The segment in the list that was live before its boundary, older boundaries within it included; empty
 * where its ends are not in the list.
 */
export function segmentLines(
  live: readonly PlacedMessage[],
  { headUuid, tailUuid }: PreservedSegment,
): readonly PlacedMessage[] {
  const head = live.findIndex(({ message }) => message.uuid === headUuid);
  const tail = live.findLastIndex(({ message }) => message.uuid === tailUuid);
  return head < 0 ? [] : live.slice(head, tail + 1);
}

/** Where the messages lie, in their order; lines that are neighbours in the file share a range. */
export function byteRangesOf(messages: readonly PlacedMessage[]): readonly ByteRange[] {
  const ranges: { start: number; end: number }[] = [];
  for (const { start, end } of messages) {
    const last = ranges.at(-1);
    if (last?.end === start) last.end = end;
    else ranges.push({ start, end });
  }
  return ranges;
}

/**
 * The segment from where its boundary says it lies; undefined where that does not hold: a line that
 * is no message of the conversation, or ends that are not the segment's.
 */
export async function readHinted(
  source: ByteSource,
  segment: PreservedSegment,
  boundaryStart: number,
): Promise<readonly PlacedMessage[] | undefined> {
  const ranges: unknown = segment.byteRanges;
  if (!areRangesBefore(ranges, boundaryStart)) return undefined;
  const messages: PlacedMessage[] = [];
  for (const range of ranges) {
    for await (const lines of linesForward(source, range)) {
      for (const line of lines) {
        const decoded = decodeRawLine(line);
        if (decoded.kind !== "message" || isUnfinished(line)) return undefined;
        const { message } = decoded;
        if (message.isSidechain === true) return undefined;
        messages.push({ message, start: line.start, end: line.end });
      }
    }
  }
  const endsHold =
    messages[0]?.message.uuid === segment.headUuid && messages.at(-1)?.message.uuid === segment.tailUuid;
  return endsHold ? messages : undefined;
}

/** Read from a file, so they may be anything; ranges that overlap could make a small file a long read. */
function areRangesBefore(ranges: unknown, limit: number): ranges is readonly ByteRange[] {
  if (!Array.isArray(ranges) || ranges.length === 0) return false;
  let total = 0;
  for (const range of ranges as readonly unknown[]) {
    if (typeof range !== "object" || range === null) return false;
    const { start, end } = range as Partial<ByteRange>;
    if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end)) return false;
    if (start === undefined || end === undefined || start < 0 || end <= start || end > limit) return false;
    total += end - start;
  }
  return total <= limit;
}
