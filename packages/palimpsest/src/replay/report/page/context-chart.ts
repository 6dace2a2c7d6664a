import type { ReportMark, ReportSeries } from "../report-data.js";
import type { CursorRow, Cursors } from "./cursor.js";
import type { Elements } from "./elements.js";
import type { Formats } from "./formats.js";
import type { PageElement } from "./page-types.js";
import type { Plot, Plots } from "./plot.js";

export interface ContextChart {
  /** Fills the holder. */
  readonly draw: (options: {
    readonly holder: PageElement;
    readonly policy: string;
    readonly series: ReportSeries;
    readonly window: number;
    /** One more than the last turn of any policy: all charts of a conversation share it. */
    readonly turnsTo: number;
  }) => void;
}

/** The context over turns, stacked by kind, with lanes of marks beneath and the window above. */
export function createContextChart(kit: {
  readonly elements: Elements;
  readonly formats: Formats;
  readonly plots: Plots;
  readonly cursors: Cursors;
}): ContextChart {
  const { elements, formats, plots, cursors } = kit;
  const { svg } = elements;
  const lanes: readonly { readonly what: ReportMark["what"]; readonly name: string }[] = [
    { what: "compacted", name: "compacted" },
    { what: "cleared", name: "cleared" },
    { what: "broken", name: "cache break" },
    { what: "blind", name: "blind turn" },
  ];

  /** Index of the last drawn turn that is not after this one. */
  const indexAt = (turns: readonly number[], turn: number): number => {
    let low = 0;
    let high = turns.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((turns[middle] ?? 0) <= turn) low = middle;
      else high = middle - 1;
    }
    return low;
  };

  /** A band between two heights, in steps: a turn is as wide as the way to the next. */
  const band = (plot: Plot, edges: { turns: readonly number[]; low: number[]; high: number[] }): string => {
    const { turns, low, high } = edges;
    const place = (index: number): string =>
      plot.x(turns[index] ?? (turns[turns.length - 1] ?? 0) + 1).toFixed(1);
    const height = (tokens: number | undefined): string => plot.y(tokens ?? 0).toFixed(1);
    const there: string[] = [];
    const back: string[] = [];
    for (let index = 0; index < turns.length; index += 1) {
      there.push(`${place(index)},${height(high[index])} ${place(index + 1)},${height(high[index])}`);
      const mirror = turns.length - 1 - index;
      back.push(`${place(mirror + 1)},${height(low[mirror])} ${place(mirror)},${height(low[mirror])}`);
    }
    return `M${there.join("L")}L${back.join("L")}Z`;
  };

  const describeMark = (mark: ReportMark): CursorRow =>
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

  const drawBands = (plot: Plot, series: ReportSeries): void => {
    let low = series.turns.map(() => 0);
    for (const { kind, tokens } of series.kinds) {
      const under = low;
      const high = under.map((tokensBelow, index) => tokensBelow + (tokens[index] ?? 0));
      plot.svg.append(
        svg("path", {
          attributes: {
            class: `band kind-${kind}`,
            "data-kind": kind,
            d: band(plot, { turns: series.turns, low: under, high }),
          },
        }),
      );
      low = high;
    }
  };

  /** Ticks below the axis: one path for each lane, one tick for each pixel at most. */
  const drawLanes = (plot: Plot, marks: readonly ReportMark[]): void => {
    const { height, bottom, left } = plot.options;
    for (const [row, { what, name }] of lanes.entries()) {
      const top = height - bottom + 46 + row * 17;
      const places = new Set(
        marks.filter((mark) => mark.what === what).map(({ turn }) => plot.x(turn + 0.5).toFixed(0)),
      );
      plot.svg.append(
        svg("text", {
          text: name,
          attributes: { class: "lane-name", x: left - 8, y: top + 9, "text-anchor": "end" },
        }),
        svg("line", {
          attributes: {
            class: "lane",
            x1: left,
            x2: plot.options.width - plot.options.right,
            y1: top + 6,
            y2: top + 6,
          },
        }),
        svg("path", {
          attributes: {
            class: `ticks mark-${what}`,
            "data-marks": what,
            d: [...places].map((place) => `M${place},${top}v12`).join(""),
          },
        }),
      );
    }
  };

  /** Compactions reach up into the chart, with their figures where these do not run into each other. */
  const drawCompactions = (plot: Plot, marks: readonly ReportMark[]): void => {
    const { top, height, bottom, width, right } = plot.options;
    const compactions = marks.filter(({ what }) => what === "compacted");
    if (compactions.length > 60) return;
    let free = 0;
    for (const mark of compactions) {
      const place = plot.x(mark.turn);
      const label = `${mark.name} ${formats.tokens(mark.before)} → ${formats.tokens(mark.after)}`;
      const length = label.length * 6.2;
      plot.svg.append(
        svg("line", {
          attributes: { class: "compaction", x1: place, x2: place, y1: top - 2, y2: height - bottom },
        }),
      );
      const start = Math.min(place, width - right - length);
      if (start < free) continue;
      free = start + length + 10;
      plot.svg.append(
        svg("text", { text: label, attributes: { class: "compaction-name", x: start, y: top - 7 } }),
      );
    }
  };

  return {
    draw: ({ holder, policy, series, window, turnsTo }) => {
      const width = Math.max(280, holder.clientWidth);
      const stacked = series.turns.map((_, index) =>
        series.kinds.reduce((sum, { tokens }) => sum + (tokens[index] ?? 0), 0),
      );
      const peak = Math.max(1, ...stacked, ...series.promptTokens);
      const showsWindow = window <= peak * 1.8;
      const marksByTurn = new Map<number, ReportMark[]>();
      for (const mark of series.marks) {
        const together = marksByTurn.get(mark.turn);
        if (together === undefined) marksByTurn.set(mark.turn, [mark]);
        else together.push(mark);
      }
      const counted = lanes
        .map(({ what, name }) => `${series.marks.filter((mark) => mark.what === what).length} ${name}`)
        .join(", ");
      const plot = plots.draw({
        id: "context-plot",
        title: `Context of ${policy} over turns`,
        description: `Tokens of each request, stacked by kind. Largest: ${formats.tokens(peak)} of a window of ${formats.tokens(window)}. Marks: ${counted}.`,
        width,
        height: width < 560 ? 380 : 440,
        left: 78,
        right: 22,
        top: 40,
        bottom: 119,
        xFrom: 0,
        xTo: turnsTo,
        yFrom: 0,
        yTo: (showsWindow ? Math.max(peak, window) : peak) * 1.04,
        xLabel: "turn",
        yLabel: showsWindow ? "tokens" : `tokens (the window of ${formats.tokens(window)} is far above)`,
        xFormat: formats.count,
        yFormat: formats.tokens,
        wholeX: true,
        wholeY: true,
      });
      drawBands(plot, series);
      if (showsWindow) {
        const { left, right } = plot.options;
        const height = plot.y(window);
        plot.svg.append(
          svg("line", {
            attributes: { class: "window", x1: left, x2: width - right, y1: height, y2: height },
          }),
          svg("text", {
            text: `window ${formats.tokens(window)}`,
            attributes: { class: "window-name", x: left + 6, y: height + 14 },
          }),
        );
      }
      drawCompactions(plot, series.marks);
      drawLanes(plot, series.marks);
      holder.replaceChildren(plot.svg);
      const stops = [...new Set([...series.turns, ...marksByTurn.keys()])].toSorted(
        (left, right) => left - right,
      );
      cursors.attach({
        plot,
        holder,
        stops: stops.length,
        locate: cursors.turnLocator(plot, stops),
        read: (stop) => {
          const turn = stops[stop] ?? 0;
          const index = indexAt(series.turns, turn);
          const shown = series.turns[index] ?? 0;
          const here = marksByTurn.get(turn) ?? [];
          return {
            x: turn + 0.5,
            heading:
              shown === turn
                ? `Turn ${formats.count(turn)} · ${formats.tokens(series.promptTokens[index] ?? 0)} tokens`
                : `Turn ${formats.count(turn)} · sizes of turn ${formats.count(shown)}`,
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
              ...here.map(describeMark),
            ],
          };
        },
      });
    },
  };
}
