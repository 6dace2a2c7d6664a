import { formats } from "../../web/formats.js";
import type { PlotRow } from "../../web/plot.js";
import type { PartKind, Timeline, TimelineMark } from "../contract.js";
import { KIND_NAMES, KINDS, swatchOf } from "./kinds.js";

/** What was marked or asked for as a stretch of whole requests: inside the conversation, and at least a few of them. */
export function settleRange(
  range: readonly [number, number],
  total: number,
): readonly [number, number] | null {
  const least = Math.min(total, 5);
  let from = Math.max(0, Math.floor(Math.min(...range)));
  let to = Math.min(total, Math.ceil(Math.max(...range)));
  if (to - from < least) {
    const middle = Math.round((from + to) / 2);
    from = Math.max(0, Math.min(middle - Math.floor(least / 2), total - least));
    to = from + least;
  }
  return from <= 0 && to >= total ? null : [from, to];
}

const MARKS: readonly {
  readonly kind: TimelineMark["kind"];
  readonly name: string;
  readonly mark: string;
}[] = [
  { kind: "compaction", name: "compacted", mark: "compacted" },
  { kind: "clearing", name: "cleared", mark: "cleared" },
  { kind: "break", name: "break", mark: "broken" },
  { kind: "failure", name: "failed", mark: "failed" },
];

const markClassOf = (kind: TimelineMark["kind"]): string =>
  `mark-${MARKS.find((one) => one.kind === kind)?.mark ?? "failed"}`;

/** Lanes of marks below the chart: those that have any. */
export const markLanes = (marks: readonly TimelineMark[]) =>
  MARKS.map(({ kind, name, mark }) => ({
    name,
    colour: `mark-${mark}`,
    places: marks.flatMap((one) => (one.kind === kind ? [one.request + 0.5] : [])),
  })).filter(({ places }) => places.length > 0);

export const kindsOf = (timeline: Timeline) =>
  KINDS.filter((kind) => timeline.kinds[kind].some((tokens) => tokens > 0)).map((kind) => ({
    name: kind,
    values: timeline.kinds[kind],
    isStriped: kind === "unknown",
  }));

/** Marks by the column that they stand in. */
export function marksByColumn(timeline: Timeline): ReadonlyMap<number, readonly TimelineMark[]> {
  const byColumn = new Map<number, TimelineMark[]>();
  let column = 0;
  for (const mark of timeline.marks.toSorted((one, other) => one.request - other.request)) {
    while (column + 1 < timeline.request.length && (timeline.request[column + 1] ?? 0) <= mark.request)
      column += 1;
    const together = byColumn.get(column);
    if (together === undefined) byColumn.set(column, [mark]);
    else together.push(mark);
  }
  return byColumn;
}

export const sizeAt = (timeline: Timeline, column: number): number =>
  KINDS.reduce((sum, kind) => sum + (timeline.kinds[kind][column] ?? 0), 0);

/** The size in words; `≈` where no usage tells it. */
export function sizeText(timeline: Timeline, column: number): string {
  const used = [timeline.read, timeline.written, timeline.uncached].some((of) => (of[column] ?? 0) > 0);
  return `${used ? "" : "≈"}${formats.count(sizeAt(timeline, column))}`;
}

/** `Request 41`, or `41 and 7 more` where a column stands for several. */
export function columnName(timeline: Timeline, column: number): string {
  const several = timeline.requests[column] ?? 1;
  const name = `Request ${formats.count(timeline.request[column])}`;
  return several > 1 ? `${name} and ${formats.count(several - 1)} beside it` : name;
}

export function timeAt(timeline: Timeline, column: number): string {
  const time = timeline.time[column];
  return typeof time === "number"
    ? new Date(time).toLocaleString("en-GB", {
        day: "numeric",
        month: "short",
        hour: "2-digit",
        minute: "2-digit",
      })
    : "";
}

/** What stands beside the pointer. */
export function columnRows(
  timeline: Timeline,
  column: number,
  marks: readonly TimelineMark[],
): readonly PlotRow[] {
  const kinds = KINDS.map((kind): { kind: PartKind; count: number } => ({
    kind,
    count: timeline.kinds[kind][column] ?? 0,
  })).filter(({ count }) => count > 0);
  return [
    { label: "input tokens", value: sizeText(timeline, column) },
    ...kinds.toReversed().map(({ kind, count }) => ({
      swatch: swatchOf(kind),
      label: KIND_NAMES[kind],
      value: `${timeline.kindsEstimated ? "≈" : ""}${formats.count(count)}`,
    })),
    { label: "read from the cache", value: formats.count(timeline.read[column]) },
    { label: "written to it", value: formats.count(timeline.written[column]) },
    { label: "not cached", value: formats.count(timeline.uncached[column]) },
    { label: "output", value: formats.count(timeline.output[column]) },
    { label: "cost", value: formats.dollars(timeline.cost[column]) },
    ...marks.slice(0, 5).map((mark) => ({
      swatch: markClassOf(mark.kind),
      label: mark.label,
      value: mark.dollars === undefined ? "" : formats.dollars(mark.dollars),
    })),
    ...(marks.length > 5 ? [{ label: `and ${marks.length - 5} more marks`, value: "" }] : []),
  ];
}
