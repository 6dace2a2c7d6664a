import type { PartKind, Timeline } from "../contract.js";
import { partKinds } from "../index/trace-lane.js";
import type { TracedRequest } from "../index/trace-requests.js";
import type { OpenConversation } from "./conversations.js";

export interface TimelineQuestion {
  readonly from?: number | undefined;
  /** Not included. */
  readonly to?: number | undefined;
  readonly points: number;
  readonly lane?: string | undefined;
}

/** The requests from one to another in at most so many columns; a column of several has the sizes of the largest of them. */
export function timeline(
  { index, version }: Pick<OpenConversation, "index" | "version">,
  { from: wantedFrom = 0, to: wantedTo, points, lane: laneId }: TimelineQuestion,
): Timeline {
  const { requests, lanes } = index.traced;
  const lane = lanes.findIndex(({ id }) => id === laneId);
  const from = Math.min(Math.max(0, wantedFrom), requests.length);
  const to = Math.min(Math.max(from, wantedTo ?? requests.length), requests.length);
  const shown = requests.slice(from, to).filter((request) => laneId === undefined || request.lane === lane);
  const columns = columnsOf(shown, points);
  const largest = columns.map((column) =>
    column.reduce((most, request) => (sizeOf(index, request) > sizeOf(index, most) ? request : most)),
  );
  const tokensOf = (kind: PartKind): readonly number[] =>
    largest.map(({ number }) => index.parts[number]?.kinds[partKinds.indexOf(kind)] ?? 0);
  const numbers = new Set(shown.map(({ number }) => number));
  return {
    version,
    total: requests.length,
    from,
    to,
    request: largest.map(({ number }) => number),
    requests: columns.map(({ length }) => length),
    time: largest.map(({ at }) => at),
    kinds: {
      system: tokensOf("system"),
      tools: tokensOf("tools"),
      people: tokensOf("people"),
      assistant: tokensOf("assistant"),
      results: tokensOf("results"),
      attachments: tokensOf("attachments"),
      unknown: tokensOf("unknown"),
    },
    read: largest.map(({ usage }) => usage.cacheRead),
    written: largest.map(({ usage }) => usage.cacheWrite5m + usage.cacheWrite1h),
    uncached: largest.map(({ usage }) => usage.input),
    output: largest.map(({ usage }) => usage.output),
    cost: columns.map(costOf),
    lane: largest.map((request) => request.lane),
    marks: index.marks.filter(({ request }) => numbers.has(request)),
    kindsEstimated: true,
  };
}

const sizeOf = (index: OpenConversation["index"], { number, usage }: TracedRequest): number =>
  (index.parts[number]?.kinds ?? []).reduce((sum, tokens) => sum + tokens, 0) + usage.output;

/** The same number of requests in each, but for the last. */
function columnsOf(
  requests: readonly TracedRequest[],
  points: number,
): readonly (readonly TracedRequest[])[] {
  const each = Math.max(1, Math.ceil(requests.length / points));
  const count = Math.ceil(requests.length / each);
  return Array.from({ length: count }, (_, at) => requests.slice(at * each, (at + 1) * each));
}

/** Null where no price of them is known. */
function costOf(column: readonly TracedRequest[]): number | null {
  const known = column.flatMap(({ cost }) => cost ?? []);
  return known.length === 0 ? null : known.reduce((sum, cost) => sum + cost, 0);
}
