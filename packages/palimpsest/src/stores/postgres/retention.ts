import { TranscriptError } from "@palimpsest/core";
import { segmentOf } from "../jsonl/preserved-segment.js";
import { decodeRawLine } from "../jsonl/raw-line.js";
import { decodeEntry, type EntryRow } from "./entry-bytes.js";
import type { Statements } from "./statements.js";

const AT_ONCE = 100;

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
  if (Number.isNaN(before.getTime())) throw new TranscriptError("io", "before must be a date.");
  if (!Number.isSafeInteger(batch) || batch < 1) {
    throw new TranscriptError("io", "batch must be a whole number, at least 1.");
  }
  let deleted = 0;
  for (let after = ""; ;) {
    const found = await statements.withOldLines(after, { before, most: AT_ONCE });
    for (const { id, boundary } of found) {
      after = id;
      const floor = floorOf(boundary);
      for (;;) {
        if (floor === 0 || signal?.aborted === true) break;
        const count = await statements.purge(id, { floor, before, most: batch });
        deleted += count;
        if (count < batch) break;
      }
    }
    if (found.length < AT_ONCE || signal?.aborted === true) return deleted;
  }
}

/** Where the first line lies that the newest boundary needs; 0 where that cannot be known, and everything stays. */
function floorOf(first: EntryRow): number {
  const bytes = decodeEntry(first);
  const decoded = decodeRawLine({ start: 0, end: bytes.length, bytes: bytes.subarray(0, -1) });
  const segment = decoded.kind === "message" ? segmentOf(decoded.message) : undefined;
  if (segment === undefined) return first.seq;
  // A segment whose place nobody knows may lie anywhere.
  const ranges = Array.isArray(segment.byteRanges) ? segment.byteRanges : [];
  return Math.min(first.seq, ...(ranges.length === 0 ? [0] : ranges.map(({ start }) => start)));
}
