import { TranscriptError, type Message, type TranscriptWriter } from "@palimpsest/core";
import { fileSource } from "./byte-source.js";
import { bytesOfBatch, encodeBatch } from "./encode-batch.js";
import type { OpenFile } from "./file-system.js";
import { withIoErrors } from "./io-error.js";
import type { Lock } from "./lock.js";

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
    const bytes = bytesOfBatch(await encodeBatch(messages, fileSource(file), goodLength));
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

/** One write; more only where the system took less than it was given. */
async function writeFully(file: OpenFile, bytes: Buffer): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, written, bytes.length - written);
    written += bytesWritten;
  }
}
