import { isCompactBoundary, type BilledCall, type Message } from "@palimpsest/core";
import { callsToldBy, isWholeTotals } from "@palimpsest/core/totals";
import type { SessionOptions } from "./session-options.js";

/** A longer transcript is not read to its beginning only to add up what it has cost. */
export const MOST_BYTES = 8 * 1024 * 1024;

export interface EarlierParts {
  readonly source: SessionOptions["source"];
  readonly bytes: number;
  /** Everything that was ever stored. */
  readonly readAll: () => Promise<readonly Message[]>;
  readonly onNotice: (text: string) => void;
}

/**
 * Boundaries of earlier versions, and of other programs, do not say what the conversation had cost: that stands in the lines
 * before them, which are read where there are not too many. Gives the live messages with a record of those calls.
 */
export async function withEarlierCalls(
  live: readonly Message[],
  { source, bytes, readAll, onNotice }: EarlierParts,
): Promise<readonly Message[]> {
  const boundary = live.findLast(isCompactBoundary);
  if (boundary === undefined || live.some(isWholeTotals)) return live;
  if (bytes > MOST_BYTES) {
    onNotice(
      "What this conversation had cost before its last compaction is not in the figures: `palimpsest analyze` adds it up.",
    );
    return live;
  }
  const all = await readAll();
  const calls = callsToldBy(
    all.slice(
      0,
      all.findLastIndex(({ uuid }) => uuid === boundary.uuid),
    ),
    source,
  );
  return calls.length === 0 ? live : [...live, recordOf(boundary, calls)];
}

const recordOf = (
  { timestamp, sessionId, uuid }: Message,
  billedCalls: readonly BilledCall[],
): Message & { readonly billedCalls: readonly BilledCall[] } => ({
  type: "system",
  subtype: "billed_calls",
  uuid: `before-${uuid}`,
  parentUuid: null,
  timestamp,
  sessionId,
  billedCalls,
});
