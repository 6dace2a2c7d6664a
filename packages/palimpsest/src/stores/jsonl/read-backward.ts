import type { ByteSource } from "./byte-source.js";
import { LINE_BREAK, type RawLine } from "./raw-line.js";

interface ChunkSizes {
  readonly first: number;
  readonly largest: number;
}

const CHUNK_SIZES: ChunkSizes = { first: 64 * 1024, largest: 1024 * 1024 };

/**
 * The lines before `end`, last line first, in lists of what one more chunk completed. Chunks double up to a
 * limit: a short way back costs little, a long one few calls. A line of any length costs its bytes once.
 */
export async function* linesBackward(
  source: ByteSource,
  end: number,
  sizes: ChunkSizes = CHUNK_SIZES,
): AsyncGenerator<readonly RawLine[]> {
  let chunkSize = sizes.first;
  let lineEnd = end;
  /** What is known of the line whose start has not been found, its last piece first. */
  let pieces: Buffer[] = [];
  for (let position = end; position > 0;) {
    const from = Math.max(0, position - chunkSize);
    const chunk = await source.read(from, position);
    const lines: RawLine[] = [];
    const complete = (start: number, piece: Buffer): void => {
      if (start < lineEnd) lines.push({ start, end: lineEnd, bytes: joined(pieces, piece) });
      pieces = [];
      lineEnd = start;
    };
    let stop = chunk.length;
    for (let at = lineBreakBefore(chunk, stop); at >= 0; at = lineBreakBefore(chunk, stop)) {
      complete(from + at + 1, chunk.subarray(at + 1, stop));
      stop = at;
    }
    if (from === 0) complete(0, chunk.subarray(0, stop));
    else pieces.push(chunk.subarray(0, stop));
    yield lines;
    position = from;
    chunkSize = Math.min(chunkSize * 2, sizes.largest);
  }
}

const lineBreakBefore = (chunk: Buffer, stop: number): number =>
  stop === 0 ? -1 : chunk.lastIndexOf(LINE_BREAK, stop - 1);

const joined = (laterFirst: readonly Buffer[], first: Buffer): Buffer =>
  laterFirst.length === 0 ? first : Buffer.concat([first, ...laterFirst.toReversed()]);
