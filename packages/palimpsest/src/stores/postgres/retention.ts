import { segmentOf } from "../jsonl/preserved-segment.js";
import { decodeRawLine } from "../jsonl/raw-line.js";
import { decodeEntry } from "./entry-bytes.js";
import type { Statements } from "./statements.js";

export interface RetentionOptions {
  /** What was stored before this goes, as far as nothing live needs it. */
  readonly before: Date;
  /** Rows of one statement. */
  readonly batch?: number;
  readonly signal?: AbortSignal;
}

/**
 * Deletes lines before each conversation's newest boundary that are older than `before`, in batches. What is live after it,
 * the segment that it kept, and boundaries, which hold what people said, stay. Gives how many rows went.
 */
export async function deleteOld(
  statements: Statements,
  { before, batch = 1000, signal }: RetentionOptions,
): Promise<number> {
  let deleted = 0;
  for (const { id } of await statements.list()) {
    const floor = await floorOf(id, statements);
    for (;;) {
      if (floor === 0 || signal?.aborted === true) break;
      const count = await statements.purge(id, { floor, before, most: batch });
      deleted += count;
      if (count < batch) break;
    }
  }
  return deleted;
}

/** Where the first line lies that the newest boundary needs; 0 where there is none, and everything is live. */
async function floorOf(id: string, statements: Statements): Promise<number> {
  const tail = await statements.readTail(id);
  const first = tail?.rows[0];
  if (first === undefined) return 0;
  const bytes = decodeEntry(first);
  const decoded = decodeRawLine({ start: 0, end: bytes.length, bytes: bytes.subarray(0, -1) });
  const segment = decoded.kind === "message" ? segmentOf(decoded.message) : undefined;
  if (segment === undefined) return first.seq;
  // A segment whose place nobody knows may lie anywhere.
  const ranges = Array.isArray(segment.byteRanges) ? segment.byteRanges : [];
  return Math.min(first.seq, ...(ranges.length === 0 ? [0] : ranges.map(({ start }) => start)));
}
