import type { CursorRow, Cursors } from "./cursor.js";
import type { Elements } from "./elements.js";
import type { Formats } from "./formats.js";
import type { PageElement } from "./page-types.js";
import type { Plot, Plots } from "./plot.js";
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

export interface LineChart {
  /** Fills the holder. */
  readonly draw: (options: {
    readonly holder: PageElement;
    readonly id: string;
    readonly title: string;
    readonly yLabel: string;
    readonly yFormat: (value: number) => string;
    /** As `yFormat`, on the axis. */
    readonly tickFormat: (value: number) => string;
    readonly wholeY: boolean;
    readonly lines: readonly ChartLine[];
    readonly turnsTo: number;
  }) => void;
}

/** One line for each policy over turns, with names at their ends where there is room. */
export function createLineChart(kit: {
  readonly elements: Elements;
  readonly formats: Formats;
  readonly plots: Plots;
  readonly cursors: Cursors;
}): LineChart {
  const { elements, formats, plots, cursors } = kit;
  const { svg } = elements;

  const lastOf = (values: readonly number[]): number => values[values.length - 1] ?? 0;

  /** The value after this turn, and nothing once the line has ended. */
  const valueAt = (line: ChartLine, turn: number): number | null => {
    if (line.turns.length === 0 || (turn > lastOf(line.turns) && line.ended)) return null;
    let low = -1;
    let high = line.turns.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((line.turns[middle] ?? 0) <= turn) low = middle;
      else high = middle - 1;
    }
    return low < 0 ? 0 : (line.values[low] ?? 0);
  };

  const drawLine = (plot: Plot, line: ChartLine): void => {
    const points = line.turns.map(
      (turn, index) => `${plot.x(turn + 1).toFixed(1)},${plot.y(line.values[index] ?? 0).toFixed(1)}`,
    );
    const start = `${plot.x(line.turns[0] ?? 0).toFixed(1)},${plot.y(0).toFixed(1)}`;
    plot.svg.append(
      svg("path", {
        attributes: {
          class: `line ${line.style.hue} ${line.style.dash}`,
          "data-line": line.name,
          d: `M${[start, ...points].join("L")}`,
        },
      }),
    );
    if (!line.ended) return;
    const x = plot.x(lastOf(line.turns) + 1);
    const y = plot.y(lastOf(line.values));
    plot.svg.append(
      svg("path", {
        attributes: { class: `line ended ${line.style.hue}`, d: `M${x - 4},${y - 4}l8,8m0,-8l-8,8` },
      }),
    );
  };

  /** Names beside the ends of the lines that reach the right edge, moved apart. */
  const drawNames = (plot: Plot, lines: readonly ChartLine[]): void => {
    const { width, right, top, height, bottom } = plot.options;
    const spacing = 14;
    const ends = lines
      .filter((line) => !line.ended && line.turns.length > 0)
      .map((line) => ({ line, y: plot.y(lastOf(line.values)) }))
      .toSorted((left, other) => left.y - other.y);
    let room = top;
    const placed = ends.map(({ line, y }) => {
      const at = Math.max(y, room);
      room = at + spacing;
      return { line, y, at };
    });
    let ceiling = height - bottom;
    const settled = placed.toReversed().map(({ line, y, at }) => {
      const up = Math.min(at, ceiling);
      ceiling = up - spacing;
      return { line, y, at: up };
    });
    const edge = width - right;
    for (const { line, y, at } of settled) {
      const from = plot.x(lastOf(line.turns) + 1);
      plot.svg.append(
        svg("path", {
          attributes: {
            class: `leader ${line.style.hue}`,
            d: `M${from + 2},${y}L${edge + 6},${y}L${edge + 16},${at}`,
          },
        }),
        svg("text", {
          text: line.name,
          attributes: { class: `line-name ${line.style.hue}`, x: edge + 19, y: at, dy: "0.32em" },
        }),
      );
    }
  };

  return {
    draw: ({ holder, id, title, yLabel, yFormat, tickFormat, wholeY, lines, turnsTo }) => {
      const width = Math.max(280, holder.clientWidth);
      const namesFit = width >= 720 && lines.length <= 18;
      const longest = Math.max(0, ...lines.map(({ name }) => name.length));
      const largest = Math.max(0, ...lines.map(({ values }) => lastOf(values)));
      const plot = plots.draw({
        id,
        title,
        description: lines
          .map(
            (line) =>
              `${line.name}: ${yFormat(lastOf(line.values))}${line.ended ? `, ended at turn ${formats.count(lastOf(line.turns))}` : ""}`,
          )
          .join("; "),
        width,
        height: 330,
        left: 60,
        right: namesFit ? Math.min(220, 30 + longest * 7.4) : 22,
        top: 28,
        bottom: 44,
        xFrom: 0,
        xTo: turnsTo,
        yFrom: 0,
        yTo: (largest > 0 ? largest : 1) * 1.04,
        xLabel: "turn",
        yLabel,
        xFormat: formats.count,
        yFormat: tickFormat,
        wholeX: true,
        wholeY,
      });
      for (const line of lines.toReversed()) drawLine(plot, line);
      if (namesFit) drawNames(plot, lines);
      holder.replaceChildren(plot.svg);
      const stops = [...new Set(lines.flatMap(({ turns }) => turns))].toSorted((left, right) => left - right);
      if (stops.length === 0) return;
      cursors.attach({
        plot,
        holder,
        stops: stops.length,
        locate: cursors.turnLocator(plot, stops),
        read: (stop) => {
          const turn = stops[stop] ?? 0;
          const rows = lines
            .map((line) => ({ line, value: valueAt(line, turn) }))
            .toSorted((left, right) => (right.value ?? -1) - (left.value ?? -1))
            .map(({ line, value }): CursorRow => ({
              swatch: `stroke ${line.style.hue} ${line.style.dash}`,
              label: line.name,
              value: value === null ? "ended" : yFormat(value),
            }));
          return { x: turn + 1, heading: `After turn ${formats.count(turn)}`, rows };
        },
      });
    },
  };
}
