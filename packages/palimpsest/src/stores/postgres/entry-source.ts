import type { ByteSource } from "../jsonl/byte-source.js";
import { decodeEntry, type EntryRow } from "./entry-bytes.js";

/** Rows from the one in which `from` lies up to the one before `to`. */
export type ReadRange = (from: number, to: number) => Promise<readonly EntryRow[]>;

interface PlacedBytes {
  readonly seq: number;
  readonly bytes: Buffer;
}

/**
 * A conversation's rows as the file that they would be. What lies in `known` costs nothing; the rest is asked for. Where
 * retention has deleted rows there are line breaks: blank lines, which every reader leaves out.
 */
export function entrySource(known: readonly EntryRow[], readRange: ReadRange): ByteSource {
  const held: PlacedBytes[] = known.map((row) => ({ seq: row.seq, bytes: decodeEntry(row) }));
  const heldFrom = held[0]?.seq ?? Number.POSITIVE_INFINITY;

  const fill = (target: Buffer, start: number, rows: readonly PlacedBytes[]): void => {
    for (const { seq, bytes } of rows) {
      const from = Math.max(start, seq);
      const to = Math.min(start + target.length, seq + bytes.length);
      if (from < to) bytes.copy(target, from - start, from - seq, to - seq);
    }
  };

  return {
    async read(start, end) {
      const target = Buffer.alloc(end - start, 0x0a);
      if (start < heldFrom) {
        const rows = await readRange(start, Math.min(end, heldFrom));
        fill(
          target,
          start,
          rows.map((row) => ({ seq: row.seq, bytes: decodeEntry(row) })),
        );
      }
      if (end > heldFrom) fill(target, start, held.slice(firstAt(held, start)));
      return target;
    },
  };
}

/** The row in which the place lies, or the first one. */
function firstAt(rows: readonly PlacedBytes[], place: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.seq ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}
