import { useSignal } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import { DataTable } from "../../web/data-table.js";
import { formats } from "../../web/formats.js";
import { Legend } from "../../web/legend.js";
import { StackedChart } from "../../web/stacked-chart.js";
import { visibleLine } from "../../web/visible-text.js";
import type { ConversationOverview, Lane, Timeline } from "../contract.js";
import { AdviceCard } from "./advice-card.js";
import { CacheClockCard } from "./cache-clock-card.js";
import { CostChart } from "./cost-chart.js";
import { indexBefore } from "../../web/plot.js";
import { useInspector } from "./inspector-state.js";
import { KIND_NAMES } from "./kinds.js";
import { Link } from "./link.js";
import { NowCard } from "./now-card.js";
import { Empty, Loaded } from "./notices.js";
import { paths } from "./paths.js";
import { conversationRoute, goTo } from "./route.js";
import { Card } from "./small-parts.js";
import {
  columnName,
  columnRows,
  kindsOf,
  markLanes,
  marksByColumn,
  settleRange,
  sizeAt,
  sizeText,
  timeAt,
} from "./timeline-model.js";

const LISTED_COLUMNS = 200;
const SHOWN_LANES = 5;

/** The conversation from its first request to its newest: sizes, what changed it, what it cost; and what to know about it now. */
export function TimelineView({ overview }: { readonly overview: ConversationOverview }) {
  const { answers, source } = useInspector();
  const range = useSignal<readonly [number, number] | null>(null);
  // Where there are several lanes, sizes of all of them side by side say little.
  const lane = useSignal<string | null>(overview.lanes.length > 1 ? (overview.lanes[0]?.id ?? null) : null);
  const path = paths.timeline(overview.id, { range: source.isServer ? range.value : null, lane: lane.value });
  const answer = answers.of<Timeline>(path).value;
  // While a finer window is on its way, the coarse one is stretched.
  const before = useRef<{ readonly lane: string | null; readonly timeline: Timeline } | null>(null);
  if (answer.value !== null) before.current = { lane: lane.value, timeline: answer.value };
  const held = before.current?.lane === lane.value ? before.current.timeline : null;
  const shown = { ...answer, value: answer.value ?? held };
  return (
    <>
      <Card
        id="timeline"
        title="Timeline"
        note="Input tokens of each request by kind. Mark a stretch to see it closer; click a request to open it."
        isWide
        actions={<LaneChoice lanes={overview.lanes} lane={lane.value} onLane={(id) => (lane.value = id)} />}
      >
        <Loaded<Timeline> answer={shown} path={path} loading="Reading the timeline …">
          {(timeline) =>
            timeline.request.length === 0 ? (
              <Empty>No request has been made yet. They appear here as they are sent.</Empty>
            ) : (
              <Charts
                overview={overview}
                timeline={timeline}
                range={range.value}
                onRange={(wanted) => (range.value = settleRange(wanted, timeline.total))}
              />
            )
          }
        </Loaded>
      </Card>
      <div class="cards">
        <NowCard overview={overview} />
        {overview.live && source.isServer ? <CacheClockCard overview={overview} /> : null}
        <AdviceCard overview={overview} />
      </div>
    </>
  );
}

function LaneChoice(props: {
  readonly lanes: readonly Lane[];
  readonly lane: string | null;
  readonly onLane: (id: string | null) => void;
}) {
  if (props.lanes.length < 2) return null;
  return (
    <label class="lane-choice">
      Lane{" "}
      <select
        value={props.lane ?? ""}
        onChange={({ currentTarget }) =>
          props.onLane(currentTarget.value === "" ? null : currentTarget.value)
        }
      >
        <option value="">all together</option>
        {props.lanes.map(({ id, name, requests, cost }) => (
          <option key={id} value={id}>
            {`${visibleLine(name)} · ${formats.count(requests)} requests · ${formats.dollars(cost)}`}
          </option>
        ))}
      </select>
    </label>
  );
}

function Charts(props: {
  readonly overview: ConversationOverview;
  readonly timeline: Timeline;
  readonly range: readonly [number, number] | null;
  readonly onRange: (range: readonly [number, number]) => void;
}) {
  const { overview, timeline, onRange } = props;
  const { whatIfs } = useInspector();
  const [from, to] = props.range ?? [0, timeline.total];
  const kinds = useMemo(() => kindsOf(timeline), [timeline]);
  const lanes = useLanes(overview, timeline);
  const lines = useMemo(
    () => [
      ...overview.thresholds,
      ...(overview.window === null || overview.thresholds.some(({ tokens }) => tokens === overview.window)
        ? []
        : [{ name: "window", tokens: overview.window }]),
    ],
    [overview.thresholds, overview.window],
  );
  const cuts = useMemo(
    () =>
      overview.compactions.map(({ request, tokensBefore, tokensAfter }) => ({
        place: request,
        text: `${formats.tokens(tokensBefore)} → ${formats.tokens(tokensAfter)}`,
      })),
    [overview.compactions],
  );
  const marks = useMemo(() => marksByColumn(timeline), [timeline]);
  const jobs = whatIfs.value.filter(
    ({ conversation, result }) => conversation === overview.id && result !== undefined,
  );
  const over = useMemo(
    () =>
      jobs.slice(-3).map(({ policy, result }, index) => ({
        name: policy,
        hue: `hue-${[3, 2, 7][index] ?? 3}`,
        places: result?.line.request ?? [],
        tokens: result?.line.tokens ?? [],
      })),
    [whatIfs.value, overview.id],
  );
  const open = (column: number): void =>
    goTo(conversationRoute(overview.id, "requests", timeline.request[column] ?? 0));
  const peak = Math.max(...timeline.request.map((_, column) => sizeAt(timeline, column)));
  return (
    <>
      <div class="chart-tools">
        <Legend kinds={kinds.map(({ name, isStriped }) => ({ name, label: KIND_NAMES[name], isStriped }))} />
        {over.map(({ name, hue }) => (
          <span class="over-name" key={name}>
            <span class={`swatch stroke dash-1 ${hue}`} aria-hidden="true" />
            what if: {visibleLine(name)}
          </span>
        ))}
        <ZoomTools range={props.range} total={timeline.total} onRange={onRange} />
      </div>
      <StackedChart
        id="timeline-plot"
        label="Input tokens of each request, stacked by kind"
        description={`${formats.count(timeline.total)} requests; the largest here has ${formats.count(peak)} input tokens. ${lanes.map(({ name, places }) => `${formats.count(places.length)} ${name}`).join(", ")}`}
        places={timeline.request}
        end={Math.max(timeline.to, (timeline.request.at(-1) ?? 0) + 1)}
        kinds={kinds}
        lines={lines}
        over={over}
        lanes={lanes}
        cuts={cuts}
        height={300}
        range={[from, to]}
        together="timeline"
        onChoose={open}
        onRange={onRange}
        readingAt={(column) => ({
          heading: [columnName(timeline, column), timeAt(timeline, column)]
            .filter((part) => part !== "")
            .join(" · "),
          rows: [
            ...columnRows(timeline, column, marks.get(column) ?? []),
            ...over.map(({ name, places, tokens }) => ({
              label: `what if: ${visibleLine(name)}`,
              value: formats.count(tokens[indexBefore(places, timeline.request[column] ?? 0)]),
            })),
          ],
        })}
      />
      <p class="chart-name">Cost of each request</p>
      <CostChart
        timeline={timeline}
        end={Math.max(timeline.to, (timeline.request.at(-1) ?? 0) + 1)}
        range={[from, to]}
        together="timeline"
        onChoose={open}
        onRange={onRange}
      />
      {timeline.kindsEstimated ? (
        <p class="note">Sizes are as usage says; how they divide into kinds is estimated (≈).</p>
      ) : null}
      <ColumnsTable overview={overview} timeline={timeline} />
    </>
  );
}

/** Marks, then one lane for each subagent that made requests, the dearest first. */
function useLanes(overview: ConversationOverview, timeline: Timeline) {
  const { answers } = useInspector();
  const others = overview.lanes.slice(1).toSorted((one, other) => (other.cost ?? 0) - (one.cost ?? 0));
  const all =
    others.length === 0
      ? null
      : answers.of<Timeline>(paths.timeline(overview.id, { range: null, lane: null })).value.value;
  return useMemo(() => {
    const subagents = others.slice(0, SHOWN_LANES).map((lane, row) => {
      const index = overview.lanes.indexOf(lane);
      const name = visibleLine(lane.name);
      return {
        name: name.length > 10 ? `${name.slice(0, 9)}…` : name,
        colour: ["hue-6", "hue-2", "hue-3", "hue-4", "hue-7"][row] ?? "hue-6",
        places:
          all === null
            ? []
            : all.request.filter((_, column) => all.lane[column] === index).map((at) => at + 0.5),
      };
    });
    return [...markLanes(timeline.marks), ...subagents.filter(({ places }) => places.length > 0)];
  }, [overview.lanes, timeline, all]);
}

function ZoomTools(props: {
  readonly range: readonly [number, number] | null;
  readonly total: number;
  readonly onRange: (range: readonly [number, number]) => void;
}) {
  const { range, total, onRange } = props;
  const [from, to] = range ?? [0, total];
  const width = to - from;
  const shift = (by: number): void => {
    const start = Math.min(total - width, Math.max(0, from + by));
    onRange([start, start + width]);
  };
  return (
    <div class="zoom" role="group" aria-label="Zoom">
      <span class="note">
        {range === null
          ? `${formats.count(total)} requests`
          : `requests ${formats.count(from)} to ${formats.count(to - 1)} of ${formats.count(total)}`}
      </span>
      <button type="button" aria-label="Earlier" disabled={from === 0} onClick={() => shift(-width / 2)}>
        ‹
      </button>
      <button type="button" aria-label="Later" disabled={to === total} onClick={() => shift(width / 2)}>
        ›
      </button>
      <button
        type="button"
        aria-label="Closer"
        disabled={width <= 5}
        onClick={() => onRange([from + width / 4, to - width / 4])}
      >
        +
      </button>
      <button
        type="button"
        aria-label="Wider"
        disabled={range === null}
        onClick={() => onRange([from - width / 2, to + width / 2])}
      >
        −
      </button>
      <button type="button" disabled={range === null} onClick={() => onRange([-Infinity, Infinity])}>
        All
      </button>
    </div>
  );
}

/** The charts as a table, for whoever reads figures rather than lines. */
function ColumnsTable({
  overview,
  timeline,
}: {
  readonly overview: ConversationOverview;
  readonly timeline: Timeline;
}) {
  const isShown = useSignal(false);
  const step = Math.ceil(timeline.request.length / LISTED_COLUMNS);
  const columns = timeline.request.flatMap((_, column) => (column % step === 0 ? [column] : []));
  return (
    <details class="as-table" onToggle={({ currentTarget }) => (isShown.value = currentTarget.open)}>
      <summary>As a table</summary>
      {isShown.value ? (
        <DataTable
          caption={
            step === 1
              ? `${formats.count(columns.length)} requests`
              : `Each ${formats.count(step)}th of ${formats.count(timeline.request.length)} columns: zoom in for the others`
          }
          heads={[
            { name: "Request" },
            { name: "Input", isNumber: true },
            { name: "Read", isNumber: true, title: "From the cache" },
            { name: "Written", isNumber: true, title: "To the cache" },
            { name: "Not cached", isNumber: true },
            { name: "Output", isNumber: true },
            { name: "Cost", isNumber: true },
            { name: "Marks" },
          ]}
        >
          {columns.map((column) => {
            const request = timeline.request[column] ?? 0;
            const here = timeline.marks.filter((mark) => mark.request === request);
            return (
              <tr key={request}>
                <th scope="row">
                  <Link to={conversationRoute(overview.id, "requests", request)} isRow>
                    {formats.count(request)}
                  </Link>
                </th>
                <td class="number">{sizeText(timeline, column)}</td>
                <td class="number">{formats.count(timeline.read[column])}</td>
                <td class="number">{formats.count(timeline.written[column])}</td>
                <td class="number">{formats.count(timeline.uncached[column])}</td>
                <td class="number">{formats.count(timeline.output[column])}</td>
                <td class="number">{formats.dollars(timeline.cost[column])}</td>
                <td>{here.map(({ label }) => visibleLine(label)).join("; ")}</td>
              </tr>
            );
          })}
        </DataTable>
      ) : null}
    </details>
  );
}
