import { TranscriptError, type CompactBoundary, type Message, type TranscriptWriter } from "@palimpsest/core";
import { isOwnBoundary, packBoundary } from "../boundary-texts.js";
import { encodeMessage } from "../encode-message.js";
import { extendedSource, fileSource, type ByteSource } from "./byte-source.js";
import type { OpenFile } from "./file-system.js";
import { withIoErrors } from "./io-error.js";
import type { Lock } from "./lock.js";
import { unpackPlaced } from "./earlier-texts.js";
import { byteRangesOf, segmentLines, segmentOf } from "./preserved-segment.js";
import { readBackToBoundary, readLive } from "./read-live.js";

export interface JsonlWriterParts {
  readonly conversationId: string;
  readonly path: string;
  /** Open for reading and appending, and ending with a line break. Closed by the writer. */
  readonly file: OpenFile;
  readonly length: number;
  /** Released by the writer. */
  readonly lock: Lock;
  readonly isSynced: boolean;
}

/** Batches go out one after another, each in one write; one that fails leaves the file as it was. */
export function createJsonlWriter(parts: JsonlWriterParts): TranscriptWriter {
  const { conversationId, path, file, lock, isSynced } = parts;
  /** Everything up to here was acknowledged. */
  let goodLength = parts.length;
  let mustCut = false;
  let queue: Promise<unknown> = Promise.resolve();
  let closing: Promise<void> | undefined;

  async function store(messages: readonly Message[]): Promise<void> {
    if (messages.length === 0) return;
    const bytes = await encodeBatch(messages, fileSource(file), goodLength);
    if (mustCut) await cut();
    try {
      mustCut = true;
      await writeFully(file, bytes);
      if (isSynced) await file.datasync();
      mustCut = false;
      goodLength += bytes.length;
    } catch (error) {
      // A cut that fails is tried again before the next write.
      await cut().catch(() => undefined);
      throw error;
    }
  }

  async function cut(): Promise<void> {
    await file.truncate(goodLength);
    mustCut = false;
  }

  async function finish(): Promise<void> {
    try {
      await queue;
      if (mustCut) await cut();
    } finally {
      try {
        await file.close();
      } finally {
        await lock.release();
      }
    }
  }

  return {
    async append(messages) {
      if (closing !== undefined) {
        throw new TranscriptError(
          "closed",
          `Conversation ${conversationId} was closed; open it again to append.`,
        );
      }
      const batch = [...messages];
      const stored = queue.then(() =>
        withIoErrors(
          `Conversation ${conversationId} could not be written to ${path}, the batch is not stored`,
          () => store(batch),
        ),
      );
      queue = stored.catch(() => undefined);
      return stored;
    },
    close() {
      closing ??= withIoErrors(`Conversation ${conversationId} could not be closed at ${path}`, finish);
      return closing;
    },
  };
}

/** The batch as it stands in the file from `length` on. */
async function encodeBatch(messages: readonly Message[], file: ByteSource, length: number): Promise<Buffer> {
  const lines: Buffer[] = [];
  for (const message of messages) {
    const placed = isOwnBoundary(message) ? await placedBoundary(message, file, { length, lines }) : message;
    lines.push(Buffer.from(`${encodeMessage(placed)}\n`));
  }
  return Buffer.concat(lines);
}

interface WrittenSoFar {
  readonly length: number;
  readonly lines: readonly Buffer[];
}

/** The boundary as this file is to hold it: told where its segment lies, and without what the one before it holds. */
async function placedBoundary(
  message: CompactBoundary,
  file: ByteSource,
  { length, lines }: WrittenSoFar,
): Promise<Message> {
  const batch = Buffer.concat(lines);
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

/** One write; more only where the system took less than it was given. */
async function writeFully(file: OpenFile, bytes: Buffer): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, written, bytes.length - written);
    written += bytesWritten;
  }
}
