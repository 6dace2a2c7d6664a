import { TranscriptError, type CompactBoundary, type Message } from "@palimpsest/core";
import { isOwnBoundary, packBoundary } from "../boundary-texts.js";
import { encodeMessage } from "../encode-message.js";
import { extendedSource, type ByteSource } from "./byte-source.js";
import { unpackPlaced } from "./earlier-texts.js";
import { byteRangesOf, segmentLines, segmentOf } from "./preserved-segment.js";
import { readBackToBoundary, readLive } from "./read-live.js";

/** One line of a batch. */
export interface EncodedLine {
  /** Without its line break. JSON has neither NUL nor lone surrogates nor line breaks of its own. */
  readonly text: string;
  /** Whether reading back from the end may stop here. */
  readonly isBoundary: boolean;
}

/** The batch as it stands in the file from `length` on. */
export async function encodeBatch(
  messages: readonly Message[],
  file: ByteSource,
  length: number,
): Promise<readonly EncodedLine[]> {
  const lines: EncodedLine[] = [];
  for (const message of messages) {
    checkObject(message);
    const isBoundary = isOwnBoundary(message);
    const placed = isBoundary ? await placedBoundary(message, file, { length, lines }) : message;
    const text = encodeMessage(placed);
    lines.push({ text, isBoundary });
  }
  return lines;
}

/** Whatever a host hands in: before anything is asked of it. */
function checkObject(message: unknown): void {
  if (typeof message === "object" && message !== null) return;
  throw new TranscriptError(
    "bad_message",
    "A message cannot be stored (not an object); mend it and append its batch again.",
  );
}

/** The lines as they stand in a file, each with its line break. */
export function bytesOfBatch(lines: readonly EncodedLine[]): Buffer {
  return Buffer.from(lines.map(({ text }) => `${text}\n`).join(""));
}

interface WrittenSoFar {
  readonly length: number;
  readonly lines: readonly EncodedLine[];
}

/** The boundary as this file is to hold it: told where its segment lies, and without what the one before it holds. */
async function placedBoundary(
  message: CompactBoundary,
  file: ByteSource,
  { length, lines }: WrittenSoFar,
): Promise<Message> {
  const batch = bytesOfBatch(lines);
  const soFar = extendedSource(file, length, batch);
  const end = length + batch.length;
  return packed(await withHint(message, soFar, end), soFar, end);
}

/**
 * The boundary with where its segment lies, asked of the file itself. A hint that came with the message
 * belongs to some other file; without one a reader scans, so one that cannot be found out is left away.
 */
async function withHint(message: CompactBoundary, file: ByteSource, end: number): Promise<CompactBoundary> {
  const segment = segmentOf(message);
  if (segment === undefined) return message;
  const { byteRanges: _ofElsewhere, ...ends } = segment;
  const byteRanges = await readLive(file, end).then(
    (live) => byteRangesOf(segmentLines(live.messages, segment)),
    () => [],
  );
  const preservedSegment = byteRanges.length === 0 ? ends : { ...ends, byteRanges };
  return { ...message, compactMetadata: { ...message.compactMetadata, preservedSegment } } as CompactBoundary;
}

/** Without what the last boundary in the file and those before it hold; whole where that cannot be found out. */
async function packed(message: CompactBoundary, file: ByteSource, end: number): Promise<CompactBoundary> {
  try {
    const { boundary: last } = await readBackToBoundary(file, end);
    const unpacked = last === undefined ? undefined : await unpackPlaced(file, last);
    if (last === undefined || unpacked?.texts === undefined) return message;
    const { start, end: lineEnd } = last;
    return packBoundary(message, {
      boundaryUuid: last.message.uuid,
      byteRange: { start, end: lineEnd },
      texts: unpacked.texts,
    });
  } catch {
    return message;
  }
}
