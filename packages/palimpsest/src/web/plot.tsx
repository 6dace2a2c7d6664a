import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { readChartColours, type ChartColours } from "./chart-colours.js";
import { theme } from "./theme.js";

export interface PlotRow {
  /** Classes of the swatch; left out where there is none. */
  readonly swatch?: string;
  readonly label: string;
  readonly value: string;
}

export interface PlotReading {
  readonly heading: string;
  readonly rows: readonly PlotRow[];
}

/** What of the options of uPlot is the chart's own; the rest is the same in all charts. */
export type PlotParts = Pick<uPlot.Options, "series" | "axes" | "scales" | "hooks" | "padding" | "bands">;

export interface PlotProps {
  readonly id: string;
  /** Its name for people who do not see it, and what is in it in a sentence. */
  readonly label: string;
  readonly description: string;
  readonly height: number;
  readonly data: uPlot.AlignedData;
  /** Made anew when this function is another one, or the theme changes. */
  readonly parts: (colours: ChartColours) => PlotParts;
  /** The stretch of the horizontal axis that is shown. */
  readonly range: readonly [number, number];
  readonly readingAt: (index: number) => PlotReading | null;
  /** `column`: each value holds to the next one; `point`: the nearest counts. */
  readonly reach?: "column" | "point";
  readonly onChoose?: (index: number) => void;
  /** A stretch was marked with the pointer or asked for by a key. */
  readonly onRange?: (range: readonly [number, number]) => void;
  /** Charts of the same key have one cursor. */
  readonly together?: string;
}

interface Shown {
  readonly reading: PlotReading;
  readonly place: number;
}

/** The last index whose value is not after `x`; 0 where all are. */
export function indexBefore(values: ArrayLike<number | null | undefined>, x: number): number {
  let low = 0;
  let high = values.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((values[middle] ?? 0) <= x) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low);
}

function indexAt(values: ArrayLike<number | null | undefined>, x: number, reach: "column" | "point"): number {
  const before = indexBefore(values, x);
  const after = Math.min(values.length - 1, before + 1);
  if (reach === "column" || before === after) return before;
  return Math.abs((values[after] ?? 0) - x) < Math.abs((values[before] ?? 0) - x) ? after : before;
}

/**
 * A chart on a canvas. Values stand beside the pointer, or where the arrow keys, Page Up, Page Down, Home and End have moved to; Enter
 * chooses, Escape hides.
 */
export function Plot(props: PlotProps) {
  const { id, label, description, height, data, parts, range } = props;
  const holder = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const stop = useRef(-1);
  const shown = useSignal<Shown | null>(null);
  const shownTheme = theme.value;

  const show = (index: number): void => {
    const chart = plot.current;
    const reading = chart === null ? null : latest.current.readingAt(index);
    if (chart === null || reading === null) {
      shown.value = null;
      return;
    }
    stop.current = index;
    const place = chart.valToPos(chart.data[0][index] ?? 0, "x") + chart.bbox.left / uPlot.pxRatio;
    shown.value = { reading, place };
  };

  useEffect(() => {
    const element = holder.current;
    if (element === null) return;
    const own = latest.current.parts(readChartColours());
    const reach = latest.current.reach ?? "column";
    const options: uPlot.Options = {
      ...own,
      width: Math.max(200, element.clientWidth),
      height: latest.current.height,
      legend: { show: false },
      scales: {
        ...own.scales,
        x: { ...own.scales?.["x"], time: false, range: () => [...latest.current.range] as [number, number] },
      },
      cursor: {
        y: false,
        points: { show: false },
        drag: { x: latest.current.onRange !== undefined, y: false, setScale: false },
        ...(latest.current.together === undefined ? {} : { sync: { key: latest.current.together } }),
      },
      hooks: {
        ...own.hooks,
        setCursor: [
          (chart) => {
            const left = chart.cursor.left ?? -1;
            if (left < 0) {
              shown.value = null;
              return;
            }
            // Charts that follow this one show its line, and no values beside it.
            if (!element.matches(":hover") && document.activeElement !== element) return;
            show(indexAt(chart.data[0], chart.posToVal(left, "x"), reach));
          },
        ],
        setSelect: [
          (chart) => {
            const { left, width } = chart.select;
            if (width < 4) return;
            const marked = [chart.posToVal(left, "x"), chart.posToVal(left + width, "x")] as const;
            chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            latest.current.onRange?.(marked);
          },
        ],
      },
    };
    const chart = new uPlot(options, latest.current.data, element);
    plot.current = chart;
    const sizes = new ResizeObserver(() => {
      const width = Math.max(200, element.clientWidth);
      if (width !== chart.width) chart.setSize({ width, height: latest.current.height });
    });
    sizes.observe(element);
    let pressedAt = 0;
    const pressed = (event: MouseEvent): void => {
      pressedAt = event.clientX;
    };
    const clicked = (event: MouseEvent): void => {
      if (Math.abs(event.clientX - pressedAt) > 3) return;
      const left = event.clientX - chart.over.getBoundingClientRect().left;
      latest.current.onChoose?.(indexAt(chart.data[0], chart.posToVal(left, "x"), reach));
    };
    chart.over.addEventListener("mousedown", pressed);
    chart.over.addEventListener("click", clicked);
    return () => {
      sizes.disconnect();
      chart.destroy();
      plot.current = null;
      shown.value = null;
    };
  }, [parts, shownTheme, height]);

  useEffect(() => {
    plot.current?.setData(data, true);
  }, [data, range[0], range[1]]);

  const keyed = (event: KeyboardEvent): void => {
    const chart = plot.current;
    if (chart === null || event.ctrlKey || event.metaKey || event.altKey) return;
    const [from, to] = latest.current.range;
    const width = to - from;
    const zoomed: Readonly<Record<string, readonly [number, number]>> = {
      "+": [from + width / 4, to - width / 4],
      "-": [from - width / 2, to + width / 2],
      "0": [-Infinity, Infinity],
    };
    const zoom = latest.current.onRange === undefined ? undefined : zoomed[event.key];
    if (zoom !== undefined) {
      event.preventDefault();
      latest.current.onRange?.(zoom);
      return;
    }
    if (event.key === "Escape" && shown.value !== null) {
      event.stopPropagation();
      shown.value = null;
      chart.setCursor({ left: -10, top: -10 });
      return;
    }
    if (event.key === "Enter" && stop.current >= 0) {
      event.preventDefault();
      event.stopPropagation();
      latest.current.onChoose?.(stop.current);
      return;
    }
    const xs = chart.data[0];
    const first = indexBefore(xs, from);
    const last = indexBefore(xs, to);
    const page = Math.max(1, Math.round((last - first) / 20));
    const moves: Readonly<Record<string, number>> = {
      ArrowRight: 1,
      ArrowLeft: -1,
      PageDown: page,
      PageUp: -page,
      Home: -Infinity,
      End: Infinity,
    };
    const move = moves[event.key];
    if (move === undefined) return;
    event.preventDefault();
    const index = Math.min(last, Math.max(first, (stop.current < 0 ? first - 1 : stop.current) + move));
    chart.setCursor({ left: chart.valToPos(xs[index] ?? 0, "x") + 0.5, top: 10 });
    show(index);
  };

  return (
    <div
      id={id}
      ref={holder}
      class="plot"
      tabIndex={0}
      role="application"
      aria-roledescription="chart"
      aria-label={label}
      aria-describedby={`${id}-description`}
      onKeyDown={keyed}
      onBlur={() => (shown.value = null)}
    >
      <p class="unseen" id={`${id}-description`}>
        {description}
      </p>
      <Readings shown={shown.value} width={holder.current?.clientWidth ?? 0} />
    </div>
  );
}

function Readings({ shown, width }: { readonly shown: Shown | null; readonly width: number }) {
  if (shown === null) return <div class="readings" aria-live="polite" hidden />;
  const { heading, rows } = shown.reading;
  const isLeft = shown.place > width / 2;
  const side = isLeft ? { right: `${width - shown.place + 14}px` } : { left: `${shown.place + 14}px` };
  return (
    <div class="readings" aria-live="polite" style={side}>
      <div class="reading-heading">{heading}</div>
      {rows.map(({ swatch, label, value }, index) => (
        <div class="reading" key={index}>
          {swatch === undefined ? null : <span class={`swatch ${swatch}`} />}
          <span class="reading-label">{label}</span>
          <span class="reading-value">{value}</span>
        </div>
      ))}
    </div>
  );
}
