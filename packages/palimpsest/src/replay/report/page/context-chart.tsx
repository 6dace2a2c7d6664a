import { useMemo } from "preact/hooks";
import { formats } from "../../../web/formats.js";
import { indexBefore, type PlotRow } from "../../../web/plot.js";
import { StackedChart, type MarkLane } from "../../../web/stacked-chart.js";
import type { ReportMark, ReportSeries } from "../report-data.js";

const LANES: readonly { readonly what: ReportMark["what"]; readonly name: string }[] = [
  { what: "compacted", name: "compacted" },
  { what: "cleared", name: "cleared" },
  { what: "broken", name: "cache break" },
  { what: "blind", name: "blind turn" },
];

const describeMark = (mark: ReportMark): PlotRow =>
  mark.what === "blind"
    ? { swatch: "mark-blind", label: "blind turn", value: mark.name }
    : mark.what === "broken"
      ? {
          swatch: "mark-broken",
          label: `cache break: ${mark.name}`,
          value: `−${formats.tokens(mark.before)} · ${formats.dollars(mark.cost)}`,
        }
      : {
          swatch: `mark-${mark.what}`,
          label: `${mark.what}: ${mark.name}`,
          value: `${formats.tokens(mark.before)} → ${formats.tokens(mark.after)}`,
        };

/** The context over turns, stacked by kind, with lanes of marks beneath and the window above. */
export function ContextChart(props: {
  readonly policy: string;
  readonly series: ReportSeries;
  readonly window: number;
  /** One more than the last turn of any policy: all charts of a conversation share it. */
  readonly turnsTo: number;
}) {
  const { policy, series, window, turnsTo } = props;
  const { turns, marks } = series;
  const kinds = useMemo(
    () => series.kinds.map(({ kind, tokens }) => ({ name: kind, values: tokens })),
    [series],
  );
  const lines = useMemo(() => [{ name: "window", tokens: window }], [window]);
  const lanes = useMemo(
    () =>
      LANES.map(({ what, name }): MarkLane => ({
        name,
        colour: `mark-${what}`,
        places: marks.flatMap((mark) => (mark.what === what ? [mark.turn + 0.5] : [])),
      })),
    [marks],
  );
  const cuts = useMemo(
    () =>
      marks.flatMap((mark) =>
        mark.what === "compacted"
          ? [
              {
                place: mark.turn,
                text: `${mark.name} ${formats.tokens(mark.before)} → ${formats.tokens(mark.after)}`,
              },
            ]
          : [],
      ),
    [marks],
  );
  const marksByTurn = useMemo(() => {
    const byTurn = new Map<number, ReportMark[]>();
    for (const mark of marks) {
      const turn = turns[indexBefore(turns, mark.turn)] ?? mark.turn;
      const together = byTurn.get(turn);
      if (together === undefined) byTurn.set(turn, [mark]);
      else together.push(mark);
    }
    return byTurn;
  }, [marks, turns]);
  const counted = lanes.map(({ name, places }) => `${places.length} ${name}`).join(", ");
  const peak = Math.max(0, ...series.promptTokens);
  return (
    <StackedChart
      id="context-plot"
      label={`Context of ${policy} over turns`}
      description={`Tokens of each request, stacked by kind. Largest: ${formats.tokens(peak)} of a window of ${formats.tokens(window)}. Marks: ${counted}.`}
      places={turns}
      end={turnsTo}
      kinds={kinds}
      lines={lines}
      lanes={lanes}
      cuts={cuts}
      height={360}
      range={[0, turnsTo]}
      readingAt={(index) => {
        const turn = turns[index] ?? 0;
        return {
          heading: `Turn ${formats.count(turn)} · ${formats.tokens(series.promptTokens[index] ?? 0)} tokens`,
          rows: [
            ...series.kinds
              .map(({ kind, tokens }) => ({ kind, count: tokens[index] ?? 0 }))
              .filter(({ count }) => count > 0)
              .toReversed()
              .map(({ kind, count }) => ({
                swatch: `kind-${kind}`,
                label: kind,
                value: formats.tokens(count),
              })),
            ...(marksByTurn.get(turn) ?? []).slice(0, 8).map(describeMark),
          ],
        };
      }}
    />
  );
}
