import { useCallback, useMemo } from "preact/hooks";
import uPlot from "uplot";
import type { ChartColours } from "../../../web/chart-colours.js";
import { formats } from "../../../web/formats.js";
import { indexBefore, Plot, type PlotParts, type PlotRow } from "../../../web/plot.js";
import { AXIS_WIDTH, axisOf, wholeNumbers } from "../../../web/stacked-chart.js";
import type { PolicyStyle } from "./policy-styles.js";

/** Values that add up over turns; `turns` and `values` have the same length. */
export interface ChartLine {
  readonly name: string;
  readonly style: PolicyStyle;
  readonly turns: readonly number[];
  readonly values: readonly number[];
  /** The conversation could not go on after its last turn. */
  readonly ended: boolean;
}

const DASHES: Readonly<Record<string, number[]>> = {
  "dash-0": [],
  "dash-1": [6, 4],
  "dash-2": [2, 3],
  "dash-3": [10, 3, 2, 3],
};

/** The value after this turn, and nothing once the line has ended. */
function valueAt(line: ChartLine, turn: number): number | null {
  const last = line.turns.at(-1);
  if (last === undefined || (turn > last && line.ended)) return null;
  if (turn < (line.turns[0] ?? 0)) return 0;
  return line.values[indexBefore(line.turns, turn)] ?? 0;
}

/** One line for each policy over turns; a cross is where a conversation could not go on. */
export function LineChart(props: {
  readonly id: string;
  readonly label: string;
  readonly valueFormat: (value: number) => string;
  /** As `valueFormat`, on the axis. */
  readonly tickFormat: (value: number) => string;
  readonly lines: readonly ChartLine[];
  readonly turnsTo: number;
}) {
  const { id, label, valueFormat, tickFormat, lines, turnsTo } = props;
  const turns = useMemo(
    () => [...new Set(lines.flatMap((line) => line.turns))].toSorted((one, other) => one - other),
    [lines],
  );
  const data = useMemo(
    (): uPlot.AlignedData => [turns, ...lines.map((line) => turns.map((turn) => valueAt(line, turn)))],
    [turns, lines],
  );
  const parts = useCallback(
    (colours: ChartColours): PlotParts => ({
      padding: [12, 16, 0, 0],
      scales: { y: { range: (_chart, _low, high) => [0, (high > 0 ? high : 1) * 1.05] } },
      axes: [
        axisOf(colours, { values: wholeNumbers, size: 30, space: 60, grid: { show: false } }),
        axisOf(colours, {
          size: AXIS_WIDTH,
          values: (_, splits) => splits.map((value) => tickFormat(value)),
        }),
      ],
      series: [
        {},
        ...lines.map(({ name, style }): uPlot.Series => ({
          label: name,
          stroke: colours.of(style.hue),
          width: 2,
          dash: DASHES[style.dash] ?? [],
          points: { show: false },
        })),
      ],
      hooks: { draw: [(chart) => drawEnds(chart, lines, colours)] },
    }),
    [lines, tickFormat],
  );
  return (
    <Plot
      id={id}
      label={label}
      description={lines
        .map(
          (line) =>
            `${line.name}: ${valueFormat(line.values.at(-1) ?? 0)}${line.ended ? `, ended at turn ${formats.count(line.turns.at(-1) ?? 0)}` : ""}`,
        )
        .join("; ")}
      height={330}
      data={data}
      parts={parts}
      range={[0, turnsTo]}
      readingAt={(index) => {
        const turn = turns[index];
        if (turn === undefined) return null;
        const rows = lines
          .map((line) => ({ line, value: valueAt(line, turn) }))
          .toSorted((one, other) => (other.value ?? -1) - (one.value ?? -1))
          .map(({ line, value }): PlotRow => ({
            swatch: `stroke ${line.style.hue} ${line.style.dash}`,
            label: line.name,
            value: value === null ? "ended" : valueFormat(value),
          }));
        return { heading: `After turn ${formats.count(turn)}`, rows };
      }}
    />
  );
}

function drawEnds(chart: uPlot, lines: readonly ChartLine[], colours: ChartColours): void {
  const pen = chart.ctx;
  const arm = 4 * uPlot.pxRatio;
  pen.save();
  pen.lineWidth = 2 * uPlot.pxRatio;
  for (const line of lines) {
    const turn = line.turns.at(-1);
    if (!line.ended || turn === undefined) continue;
    const x = chart.valToPos(turn, "x", true);
    const y = chart.valToPos(line.values.at(-1) ?? 0, "y", true);
    pen.strokeStyle = colours.of(line.style.hue);
    pen.beginPath();
    pen.moveTo(x - arm, y - arm);
    pen.lineTo(x + arm, y + arm);
    pen.moveTo(x + arm, y - arm);
    pen.lineTo(x - arm, y + arm);
    pen.stroke();
  }
  pen.restore();
}
