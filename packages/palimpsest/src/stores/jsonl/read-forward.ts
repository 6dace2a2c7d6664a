import type { DamagedLine } from "@palimpsest/core";
import type { ByteSource } from "./byte-source.js";
import {
  decodeRawLine,
  LINE_BREAK,
  type PlacedDamage,
  type PlacedMessage,
  type RawLine,
} from "./raw-line.js";

const CHUNK = 1024 * 1024;

/** The lines from `start`, where one begins, up to `end`, in lists of what one more chunk completed. */
export async function* linesForward(
  source: ByteSource,
  { start, end }: { readonly start: number; readonly end: number },
): AsyncGenerator<readonly RawLine[]> {
  let lineStart = start;
  let pieces: Buffer[] = [];
  for (let position = start; position < end;) {
    const chunk = await source.read(position, Math.min(end, position + CHUNK));
    const lines: RawLine[] = [];
    let from = 0;
    for (let at = chunk.indexOf(LINE_BREAK); at >= 0; at = chunk.indexOf(LINE_BREAK, from)) {
      const piece = chunk.subarray(from, at);
      const bytes = pieces.length === 0 ? piece : Buffer.concat([...pieces, piece]);
      lines.push({ start: lineStart, end: position + at + 1, bytes });
      pieces = [];
      from = at + 1;
      lineStart = position + from;
    }
    if (from < chunk.length) pieces.push(chunk.subarray(from));
    position += chunk.length;
    if (position === end && lineStart < end)
      lines.push({ start: lineStart, end, bytes: Buffer.concat(pieces) });
    yield lines;
  }
}

export interface PlacedContent {
  readonly messages: readonly PlacedMessage[];
  readonly damaged: readonly PlacedDamage[];
}

/** Every message before `end`, oldest first. */
export async function readForward(source: ByteSource, end: number): Promise<PlacedContent> {
  const messages: PlacedMessage[] = [];
  const damaged: PlacedDamage[] = [];
  for await (const lines of linesForward(source, { start: 0, end })) {
    for (const line of lines) {
      const decoded = decodeRawLine(line);
      if (decoded.kind === "message") {
        messages.push({ message: decoded.message, start: line.start, end: line.end });
      } else if (decoded.kind === "damaged") {
        damaged.push({ offset: line.start, reason: decoded.reason });
      }
    }
  }
  return { messages, damaged };
}

/** Adds the line numbers, in the file's order; reads only as far as the last damaged line, and only if there is one. */
export async function numberDamage(
  source: ByteSource,
  damaged: readonly PlacedDamage[],
): Promise<readonly DamagedLine[]> {
  const ordered = damaged.toSorted((left, right) => left.offset - right.offset);
  const numbered: DamagedLine[] = [];
  let line = 1;
  let position = 0;
  for (const { offset, reason } of ordered) {
    while (position < offset) {
      const chunk = await source.read(position, Math.min(offset, position + CHUNK));
      for (let at = chunk.indexOf(LINE_BREAK); at >= 0; at = chunk.indexOf(LINE_BREAK, at + 1)) line += 1;
      position += chunk.length;
    }
    numbered.push({ line, offset, reason });
  }
  return numbered;
}
