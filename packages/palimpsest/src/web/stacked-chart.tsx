import { useCallback, useMemo } from "preact/hooks";
import uPlot from "uplot";
import { striped, type ChartColours } from "./chart-colours.js";
import { formats } from "./formats.js";
import { indexBefore, Plot, type PlotParts, type PlotReading } from "./plot.js";

/** One kind of the stack, from the bottom up. */
interface StackedKind {
  /** Names its colour (`kind-NAME`) too. */
  readonly name: string;
  readonly values: readonly number[];
  readonly isStriped?: boolean;
}

/** Ticks below the axis, all of one kind. */
export interface MarkLane {
  readonly name: string;
  /** The custom property that has its colour. */
  readonly colour: string;
  readonly places: readonly number[];
}

export interface StackedChartProps {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  /** Where each column begins; it goes to the next one, the last one to `end`. */
  readonly places: readonly number[];
  readonly end: number;
  readonly kinds: readonly StackedKind[];
  readonly lines?: readonly { readonly name: string; readonly tokens: number }[];
  /** Another line over the stack, with places of its own. */
  readonly over?: readonly {
    readonly name: string;
    readonly hue: string;
    readonly places: readonly number[];
    readonly tokens: readonly number[];
  }[];
  readonly lanes: readonly MarkLane[];
  /** Drawn through the chart, with their texts where these do not run into each other. */
  readonly cuts: readonly { readonly place: number; readonly text: string }[];
  readonly axisLabel?: string;
  readonly height: number;
  readonly range: readonly [number, number];
  readonly readingAt: (index: number) => PlotReading | null;
  readonly onChoose?: (index: number) => void;
  readonly onRange?: (range: readonly [number, number]) => void;
  readonly together?: string;
}

const LANE_HEIGHT = 17;
export const AXIS_WIDTH = 74;

/** Axes as all charts have them. */
export const axisOf = (colours: ChartColours, own: uPlot.Axis): uPlot.Axis => ({
  stroke: colours.of("soft"),
  font: colours.font,
  labelFont: colours.font,
  grid: { stroke: colours.of("faint"), width: 1 },
  ticks: { stroke: colours.of("faint"), width: 1, size: 4 },
  border: { show: true, stroke: colours.of("axis"), width: 1 },
  ...own,
});

export const wholeNumbers = (_: uPlot, splits: number[]): string[] =>
  splits.map((value) => (Number.isInteger(value) ? formats.count(value) : ""));

/** Tokens stacked by kind in steps, with lines of sizes across, marks in lanes beneath, and what changed the conversation as cuts. */
export function StackedChart(props: StackedChartProps) {
  const { places, end, kinds, lines = [], over = [], lanes, cuts } = props;

  const data = useMemo((): uPlot.AlignedData => {
    const closed = [...places, end];
    let sums: readonly number[] = places.map(() => 0);
    const stacked = kinds.map(({ values }) => {
      sums = sums.map((sum, index) => sum + (values[index] ?? 0));
      return [...sums, sums.at(-1) ?? 0];
    });
    const others = over.map((line) =>
      closed.map((place) =>
        line.places.length === 0 || place < (line.places[0] ?? 0)
          ? null
          : (line.tokens[indexBefore(line.places, place)] ?? null),
      ),
    );
    return [closed, ...stacked.toReversed(), ...others];
  }, [places, end, kinds, over]);

  const names = kinds.map(({ name }) => name).join();
  const hues = over.map(({ hue }) => hue).join();
  const parts = useCallback(
    (colours: ChartColours): PlotParts => {
      const steps = uPlot.paths.stepped?.({ align: 1 });
      const paper = colours.of("panel");
      return {
        padding: [16, 14, 6 + lanes.length * LANE_HEIGHT, 0],
        scales: {
          y: {
            range: (_chart, _low, high) => {
              const near = lines.filter(({ tokens }) => tokens <= (high ?? 0) * 1.8);
              return [0, Math.max(1, high ?? 0, ...near.map(({ tokens }) => tokens)) * 1.06];
            },
          },
        },
        axes: [
          axisOf(colours, { values: wholeNumbers, size: 30, space: 60, grid: { show: false } }),
          axisOf(colours, { size: AXIS_WIDTH, values: (_, splits) => splits.map(formats.tokens) }),
        ],
        series: [
          {},
          ...kinds.toReversed().map(({ name, isStriped }): uPlot.Series => {
            const colour = colours.of(`kind-${name}`);
            return {
              label: name,
              stroke: paper,
              width: 0.5,
              fill: isStriped === true ? () => striped(colour, paper) : colour,
              points: { show: false },
              ...(steps === undefined ? {} : { paths: steps }),
            };
          }),
          ...over.map(({ name, hue }): uPlot.Series => ({
            label: name,
            stroke: colours.of(hue),
            width: 2.2,
            dash: [7, 4],
            points: { show: false },
            ...(steps === undefined ? {} : { paths: steps }),
          })),
        ],
        hooks: {
          draw: [
            (chart) => {
              drawLines(chart, lines, colours);
              drawCuts(chart, cuts, colours);
              drawLanes(chart, lanes, colours);
            },
          ],
        },
      };
    },
    [names, hues, lines, lanes, cuts],
  );

  return (
    <Plot
      id={props.id}
      label={props.label}
      description={props.description}
      height={props.height + lanes.length * LANE_HEIGHT}
      data={data}
      parts={parts}
      range={props.range}
      readingAt={(index) => props.readingAt(Math.min(index, places.length - 1))}
      {...(props.onChoose === undefined
        ? {}
        : { onChoose: (index: number) => props.onChoose?.(Math.min(index, places.length - 1)) })}
      {...(props.onRange === undefined ? {} : { onRange: props.onRange })}
      {...(props.together === undefined ? {} : { together: props.together })}
    />
  );
}

interface Frame {
  readonly pen: CanvasRenderingContext2D;
  readonly ratio: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly x: (value: number) => number;
}

const frameOf = (chart: uPlot): Frame => {
  const { left, top, width, height } = chart.bbox;
  return {
    pen: chart.ctx,
    ratio: uPlot.pxRatio,
    left,
    right: left + width,
    top,
    bottom: top + height,
    x: (value) => chart.valToPos(value, "x", true),
  };
};

/** A text with paper around it, so that it is read over whatever is drawn there. */
function writeText(
  frame: Frame,
  text: { value: string; x: number; y: number; colour: string; paper: string },
): void {
  const { pen, ratio } = frame;
  pen.lineJoin = "round";
  pen.lineWidth = 3 * ratio;
  pen.strokeStyle = text.paper;
  pen.strokeText(text.value, text.x, text.y);
  pen.fillStyle = text.colour;
  pen.fillText(text.value, text.x, text.y);
}

const scaled = (font: string, ratio: number): string =>
  font.replace(/(\d+(?:\.\d+)?)px/, (_, size: string) => `${Number(size) * ratio}px`);

function drawLines(
  chart: uPlot,
  lines: readonly { readonly name: string; readonly tokens: number }[],
  colours: ChartColours,
): void {
  const frame = frameOf(chart);
  const { pen, ratio } = frame;
  const most = chart.scales["y"]?.max ?? 0;
  pen.save();
  pen.font = scaled(colours.boldFont, ratio);
  pen.textAlign = "left";
  pen.textBaseline = "bottom";
  let lastText = Infinity;
  for (const { name, tokens } of lines.toSorted((one, other) => one.tokens - other.tokens)) {
    if (tokens > most) continue;
    const y = Math.round(chart.valToPos(tokens, "y", true));
    pen.strokeStyle = colours.of("bad");
    pen.lineWidth = 1.3 * ratio;
    pen.setLineDash([7 * ratio, 4 * ratio]);
    pen.beginPath();
    pen.moveTo(frame.left, y);
    pen.lineTo(frame.right, y);
    pen.stroke();
    if (lastText - y < 14 * ratio) continue;
    lastText = y;
    pen.setLineDash([]);
    writeText(frame, {
      value: `${name} ${formats.tokens(tokens)}`,
      x: frame.left + 6 * ratio,
      y: y - 2 * ratio,
      colour: colours.of("bad"),
      paper: colours.of("panel"),
    });
  }
  pen.restore();
}

function drawCuts(
  chart: uPlot,
  cuts: readonly { readonly place: number; readonly text: string }[],
  colours: ChartColours,
): void {
  const frame = frameOf(chart);
  const { pen, ratio } = frame;
  const seen = cuts.filter(({ place }) => frame.x(place) >= frame.left && frame.x(place) <= frame.right);
  if (seen.length > 60) return;
  pen.save();
  pen.font = scaled(colours.font, ratio);
  pen.textAlign = "left";
  pen.textBaseline = "bottom";
  pen.lineWidth = ratio;
  let free = 0;
  for (const { place, text } of seen) {
    const x = Math.round(frame.x(place)) + 0.5;
    pen.strokeStyle = colours.of("ink");
    pen.setLineDash([2 * ratio, 3 * ratio]);
    pen.beginPath();
    pen.moveTo(x, frame.top);
    pen.lineTo(x, frame.bottom);
    pen.stroke();
    pen.setLineDash([]);
    const length = pen.measureText(text).width;
    const start = Math.min(x, frame.right - length);
    if (start < free) continue;
    free = start + length + 10 * ratio;
    pen.fillStyle = colours.of("ink");
    pen.fillText(text, start, frame.top - 3 * ratio);
  }
  pen.restore();
}

function drawLanes(chart: uPlot, lanes: readonly MarkLane[], colours: ChartColours): void {
  const frame = frameOf(chart);
  const { pen, ratio } = frame;
  pen.save();
  pen.font = scaled(colours.font, ratio);
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  for (const [row, { name, colour, places }] of lanes.entries()) {
    const middle = frame.bottom + (36 + (row + 0.5) * LANE_HEIGHT) * ratio;
    pen.fillStyle = colours.of("soft");
    pen.fillText(name, frame.left - 8 * ratio, middle);
    pen.fillStyle = colours.of("faint");
    pen.fillRect(frame.left, Math.round(middle), frame.right - frame.left, ratio);
    pen.fillStyle = colours.of(colour);
    const seen = new Set(places.map((place) => Math.round(frame.x(place))));
    for (const x of seen) {
      if (x >= frame.left && x <= frame.right)
        pen.fillRect(x - ratio, middle - 6 * ratio, 2 * ratio, 12 * ratio);
    }
  }
  pen.restore();
}
