import { LINE_BREAK, type RawLine } from "../../stores/jsonl/raw-line.js";
import { allBits, OVERLAP, windowFilter } from "./line-filter.js";
import type { QueryTerms } from "./query-terms.js";
import type { TranscriptFile } from "./transcript-file.js";

export interface ScanOptions {
  readonly sought: QueryTerms;
  /** Where to begin; lines from there on are not looked at. */
  readonly end: number;
  /** Not much further back than here. */
  readonly start?: number;
  readonly signal: AbortSignal;
}

const FIRST_WINDOW = 64 * 1024;
const LARGEST_WINDOW = 512 * 1024;
/** Lines beyond it are passed over: they would not fit into a string. */
const MAX_LINE = 256 * 1024 * 1024;

/**
 * The lines that may hold what is sought, the last one first. Reads through one window that is used again and
 * again, so the bytes of a line are good until the next line is asked for. Rejects with the signal's reason.
 */
export async function* scanBackward(file: TranscriptFile, options: ScanOptions): AsyncGenerator<RawLine> {
  const { sought, signal, start: floor = 0 } = options;
  const all = allBits(sought);
  const room = Buffer.allocUnsafe(Math.min(options.end, LARGEST_WINDOW) + OVERLAP);
  let size = FIRST_WINDOW;
  /** After the last byte of the line whose start has not been found; its line break included. */
  let lineEnd = options.end;
  let found = 0;
  for (let position = options.end; position > Math.max(0, floor);) {
    signal.throwIfAborted();
    const from = Math.max(0, position - size);
    const windowEnd = Math.min(lineEnd, position + OVERLAP);
    const window = room.subarray(0, windowEnd - from);
    await file.fill(window, from);
    const filter = windowFilter(window, sought);
    let to = window.length;
    for (;;) {
      const lineBreak = breakBefore(window, to, from + to === lineEnd);
      const isStart = lineBreak >= 0 || from === 0;
      const pieceStart = lineBreak + 1;
      const isWhole = isStart && from + to === lineEnd;
      found = filter.test({ from: pieceStart, to, found, isWhole });
      if (!isStart) break;
      const start = from + pieceStart;
      if (found === all && start < lineEnd && lineEnd - start <= MAX_LINE) {
        const bytes = isWhole ? window.subarray(pieceStart, to) : await loaded(file, start, lineEnd);
        yield { start, end: lineEnd, bytes: withoutBreak(bytes) };
      }
      found = 0;
      lineEnd = start;
      to = pieceStart;
      if (to === 0) break;
    }
    position = from;
    size = Math.min(size * 2, LARGEST_WINDOW);
  }
}

/** Where the line break is that the line before `to` begins after. Its own one, at its end, is not meant. */
function breakBefore(window: Buffer, to: number, isLineEnd: boolean): number {
  const last = isLineEnd ? to - 2 : to - 1;
  return last < 0 ? -1 : window.lastIndexOf(LINE_BREAK, last);
}

async function loaded(file: TranscriptFile, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(end - start);
  await file.fill(bytes, start);
  return bytes;
}

const withoutBreak = (bytes: Buffer): Buffer =>
  bytes[bytes.length - 1] === LINE_BREAK ? bytes.subarray(0, -1) : bytes;
