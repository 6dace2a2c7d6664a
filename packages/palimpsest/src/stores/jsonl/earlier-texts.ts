import type { CompactBoundary } from "@palimpsest/core";
import { earlierTextsOf, isOwnBoundary, unpackBoundary, type Unpacked } from "../boundary-texts.js";
import type { ByteSource } from "./byte-source.js";
import { decodeRawLine, isUnfinished, type PlacedMessage } from "./raw-line.js";
import { linesForward } from "./read-forward.js";

/** A boundary, and the line it was read from. */
export interface PlacedBoundary extends PlacedMessage {
  readonly message: CompactBoundary;
}

/**
 * The boundary as it was before it was packed, and what it and those before it hold. Costs their lines, each from
 * where the next one says that it lies; undefined where that does not hold.
 */
export async function unpackPlaced(
  source: ByteSource,
  boundary: PlacedBoundary,
): Promise<Unpacked | undefined> {
  const chain: PlacedBoundary[] = [boundary];
  for (;;) {
    const newest = chain.at(-1);
    if (newest === undefined || earlierTextsOf(newest.message) === undefined) break;
    const before = await readNamed(source, newest);
    if (before === undefined) return undefined;
    chain.push(before);
  }
  let unpacked: Unpacked | undefined;
  for (const { message } of chain.toReversed()) {
    unpacked = unpackBoundary(message, { earlier: unpacked?.texts });
    if (unpacked.texts === undefined) return undefined;
  }
  return unpacked;
}

/** The boundary that another one names, from the line where that one says it lies: always before it. */
async function readNamed(
  source: ByteSource,
  { message, start: limit }: PlacedBoundary,
): Promise<PlacedBoundary | undefined> {
  const named = earlierTextsOf(message);
  const range: unknown = named?.byteRange;
  if (named === undefined || !isRangeBefore(range, limit)) return undefined;
  for await (const lines of linesForward(source, range)) {
    for (const line of lines) {
      const decoded = line.end === range.end && !isUnfinished(line) ? decodeRawLine(line) : undefined;
      const found = decoded?.kind === "message" ? decoded.message : undefined;
      const isNamed = found !== undefined && isOwnBoundary(found) && found.uuid === named.boundaryUuid;
      return isNamed ? { message: found, start: line.start, end: line.end } : undefined;
    }
  }
  return undefined;
}

function isRangeBefore(
  range: unknown,
  limit: number,
): range is { readonly start: number; readonly end: number } {
  if (typeof range !== "object" || range === null) return false;
  const { start, end } = range as { readonly start?: unknown; readonly end?: unknown };
  return (
    Number.isSafeInteger(start) &&
    Number.isSafeInteger(end) &&
    (start as number) >= 0 &&
    (end as number) > (start as number) &&
    (end as number) <= limit
  );
}
