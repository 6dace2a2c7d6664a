import { useCallback, useMemo } from "preact/hooks";
import uPlot from "uplot";
import type { ChartColours } from "../../web/chart-colours.js";
import { formats } from "../../web/formats.js";
import { Plot, type PlotParts } from "../../web/plot.js";
import { AXIS_WIDTH, axisOf } from "../../web/stacked-chart.js";
import type { Timeline } from "../contract.js";
import { columnName } from "./timeline-model.js";

/** Dollars of each column, beneath the sizes and on the same axis. */
export function CostChart(props: {
  readonly timeline: Timeline;
  readonly end: number;
  readonly range: readonly [number, number];
  readonly together: string;
  readonly onChoose: (column: number) => void;
  readonly onRange: (range: readonly [number, number]) => void;
}) {
  const { timeline, end } = props;
  const data = useMemo(
    (): uPlot.AlignedData => [
      [...timeline.request, end],
      [...timeline.cost.map((cost) => cost ?? 0), timeline.cost.at(-1) ?? 0],
    ],
    [timeline, end],
  );
  const parts = useCallback((colours: ChartColours): PlotParts => {
    const steps = uPlot.paths.stepped?.({ align: 1 });
    return {
      padding: [6, 14, 0, 0],
      scales: { y: { range: (_chart, _low, high) => [0, (high > 0 ? high : 0.01) * 1.08] } },
      axes: [
        axisOf(colours, {
          label: "request",
          labelSize: 16,
          size: 26,
          space: 60,
          grid: { show: false },
          values: (_, splits) => splits.map((value) => (Number.isInteger(value) ? formats.count(value) : "")),
        }),
        axisOf(colours, {
          size: AXIS_WIDTH,
          space: 26,
          values: (_, splits) => splits.map(formats.roundDollars),
        }),
      ],
      series: [
        {},
        {
          label: "cost",
          stroke: colours.of("hue-6"),
          fill: `${colours.of("hue-6")}55`,
          width: 1,
          points: { show: false },
          ...(steps === undefined ? {} : { paths: steps }),
        },
      ],
    };
  }, []);
  const known = timeline.cost.filter((cost) => cost !== null);
  return (
    <Plot
      id="cost-plot"
      label="Cost of each request"
      description={
        known.length === 0
          ? "Nothing is known of prices of this model."
          : `Dollars of each request; the dearest column costs ${formats.dollars(Math.max(...known))}.`
      }
      height={132}
      data={data}
      parts={parts}
      range={props.range}
      together={props.together}
      onChoose={(index) => props.onChoose(Math.min(index, timeline.request.length - 1))}
      onRange={props.onRange}
      readingAt={(index) => {
        const column = Math.min(index, timeline.request.length - 1);
        return {
          heading: columnName(timeline, column),
          rows: [{ label: "cost", value: formats.dollars(timeline.cost[column]) }],
        };
      }}
    />
  );
}
