import { open, type FileHandle } from "node:fs/promises";
import { LineParser } from "../readers/line-parser.js";
import { recordingErrorOf } from "../readers/recording-error.js";
import type { Fields } from "../readers/recording.js";
import { openRecordingFile } from "../rounds/recording-file.js";
import {
  createRequestIndex,
  type RebuiltRequest,
  type RequestEntry,
  type RequestPart,
} from "./request-index.js";

/** The requests that a recording holds. */
export interface RecordedRequests {
  /** In the order in which they came to their end. */
  readonly requests: readonly RequestEntry[];
  /** What one consists of, without contents. */
  readonly parts: (entry: RequestEntry) => readonly RequestPart[];
  /** One as it was sent. Reads the lines that it needs. Rejects with a `RecordingError` where the file cannot be read any more. */
  readonly rebuild: (entry: RequestEntry) => Promise<RebuiltRequest>;
}

const CHUNK_BYTES = 64 * 1024;
const LINE_BREAK = 10;

/** Reads through a recording once; what is appended later is not seen. None for a recording that holds no requests. Throws `RecordingError`. */
export async function readRecordedRequests(path: string): Promise<RecordedRequests> {
  const index = createRequestIndex();
  const file = await openRecordingFile(path);
  for await (const some of file.lines(new LineParser())) for (const line of some) index.take(line);
  return {
    requests: index.requests,
    parts: ({ record }) => index.parts(record),
    async rebuild({ record }) {
      const file = await open(path).catch((error: unknown) => {
        throw recordingErrorOf(error);
      });
      try {
        const found = new Map<number, Fields | undefined>();
        for (const offset of index.offsets(record)) found.set(offset, await lineAt(file, offset));
        return index.rebuild(record, (offset) => found.get(offset));
      } finally {
        await file.close();
      }
    },
  };
}

async function lineAt(file: FileHandle, offset: number): Promise<Fields | undefined> {
  const chunks: Uint8Array[] = [];
  for (let position = offset; ;) {
    const { bytesRead, buffer } = await file.read(new Uint8Array(CHUNK_BYTES), 0, CHUNK_BYTES, position);
    const chunk = buffer.subarray(0, bytesRead);
    const end = chunk.indexOf(LINE_BREAK);
    chunks.push(end < 0 ? chunk : chunk.subarray(0, end + 1));
    if (end >= 0 || bytesRead === 0) break;
    position += bytesRead;
  }
  const [line] = new LineParser().push(Buffer.concat(chunks));
  return line?.value;
}
