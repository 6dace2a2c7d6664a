import { useCallback, useMemo } from "preact/hooks";
import uPlot from "uplot";
import type { ChartColours } from "../../../web/chart-colours.js";
import { formats } from "../../../web/formats.js";
import { Plot, type PlotParts } from "../../../web/plot.js";
import { AXIS_WIDTH, axisOf } from "../../../web/stacked-chart.js";
import type { NamedFigures } from "../report-data.js";
import { placeName, type Box } from "./place-name.js";
import type { PolicyStyle } from "./policy-styles.js";

/** What each policy cost against what it still knew: up and to the left is better. */
export function ScatterChart(props: {
  readonly policies: readonly NamedFigures[];
  readonly styleOf: (name: string) => PolicyStyle;
}) {
  const { policies, styleOf } = props;
  const points = useMemo(
    () =>
      policies
        .filter(({ figures }) => Number.isFinite(figures.cost) && Number.isFinite(figures.recall))
        .toSorted((one, other) => one.figures.cost - other.figures.cost),
    [policies],
  );
  const lowest = Math.min(1, ...points.map(({ figures }) => figures.recall));
  const highest = Math.max(0, ...points.map(({ figures }) => figures.cost));
  const spread = Math.max(0.02, 1 - lowest);
  const data = useMemo(
    (): uPlot.AlignedData => [
      points.map(({ figures }) => figures.cost),
      points.map(({ figures }) => figures.recall),
    ],
    [points],
  );
  const parts = useCallback(
    (colours: ChartColours): PlotParts => ({
      padding: [14, 16, 0, 0],
      scales: { y: { range: () => [Math.max(0, 1 - spread * 1.15), 1 + spread * 0.08] } },
      axes: [
        axisOf(colours, {
          label: "cost of all conversations",
          labelSize: 18,
          size: 30,
          values: (_, splits) => splits.map(formats.roundDollars),
        }),
        axisOf(colours, {
          size: AXIS_WIDTH,
          values: (_, splits) => splits.map((value) => (value > 1 ? "" : formats.share(value))),
        }),
      ],
      series: [{}, { paths: () => null, points: { show: false } }],
      hooks: { draw: [(chart) => drawPoints(chart, points, { colours, styleOf })] },
    }),
    [points, styleOf, spread],
  );
  return (
    <Plot
      id="scatter-plot"
      label="Cost against recall"
      description={points
        .map(
          ({ name, figures }) =>
            `${name}: ${formats.dollars(figures.cost)}, recall ${formats.share(figures.recall)}`,
        )
        .join("; ")}
      height={340}
      data={data}
      parts={parts}
      reach="point"
      range={[0, (highest > 0 ? highest : 1) * 1.08]}
      readingAt={(index) => {
        const point = points[index];
        if (point === undefined) return null;
        return {
          heading: point.name,
          rows: [
            { label: "cost", value: formats.dollars(point.figures.cost) },
            { label: "to never forgetting", value: formats.ratio(point.figures.costRatio) },
            { label: "recall", value: formats.share(point.figures.recall) },
            { label: "overflow", value: formats.count(point.figures.overflow) },
          ],
        };
      }}
    />
  );
}

/** Hollow where a policy had invalid requests or overflow; names where they run into the least. */
function drawPoints(
  chart: uPlot,
  points: readonly NamedFigures[],
  look: { readonly colours: ChartColours; readonly styleOf: (name: string) => PolicyStyle },
): void {
  const { colours, styleOf } = look;
  const pen = chart.ctx;
  const ratio = uPlot.pxRatio;
  const { left, top, width, height } = chart.bbox;
  const within: Box = {
    left: left / ratio,
    top: top / ratio,
    right: (left + width) / ratio,
    bottom: (top + height) / ratio,
  };
  const placed = points.map(({ name, figures }) => ({
    name,
    x: chart.valToPos(figures.cost, "x", true) / ratio,
    y: chart.valToPos(figures.recall, "y", true) / ratio,
    colour: colours.of(styleOf(name).hue),
    isSound: figures.invalid === 0 && figures.overflow === 0,
  }));
  const taken: Box[] = placed.map(({ x, y }) => ({ left: x - 7, right: x + 7, top: y - 7, bottom: y + 7 }));
  pen.save();
  pen.scale(ratio, ratio);
  pen.font = colours.boldFont;
  pen.textBaseline = "middle";
  pen.textAlign = "left";
  for (const { name, x, y, colour, isSound } of placed) {
    const box = placeName({ x, y, length: pen.measureText(name).width, taken, within });
    taken.push(box);
    const middle = (box.top + box.bottom) / 2;
    pen.strokeStyle = colour;
    if (Math.abs(middle - y) > 9) {
      pen.lineWidth = 0.8;
      pen.beginPath();
      pen.moveTo(x, y);
      pen.lineTo(Math.min(box.right, Math.max(box.left, x)), middle);
      pen.stroke();
    }
    pen.fillStyle = colour;
    pen.fillText(name, box.left, middle);
    pen.lineWidth = 2;
    pen.beginPath();
    pen.arc(x, y, 6, 0, 2 * Math.PI);
    pen.fillStyle = isSound ? colour : colours.of("panel");
    pen.fill();
    pen.stroke();
  }
  pen.restore();
}
