import type { Elements } from "./elements.js";
import type { PageElement } from "./page-types.js";

interface PlotOptions {
  readonly id: string;
  readonly title: string;
  /** For those who do not see the chart. */
  readonly description: string;
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly xFrom: number;
  readonly xTo: number;
  readonly yFrom: number;
  readonly yTo: number;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly xFormat: (value: number) => string;
  readonly yFormat: (value: number) => string;
  /** Only whole numbers on the axis, as for turns. */
  readonly wholeX: boolean;
  readonly wholeY: boolean;
}

/** An SVG with axes, and where a value lies on it. */
export interface Plot {
  readonly svg: PageElement;
  readonly x: (value: number) => number;
  readonly y: (value: number) => number;
  /** The value at a place, not held within the axis. */
  readonly xAt: (place: number) => number;
  readonly options: PlotOptions;
}

export interface Plots {
  /** Round values within a range, about as many as asked for. */
  readonly ticks: (options: {
    readonly from: number;
    readonly to: number;
    readonly about: number;
    readonly whole: boolean;
  }) => readonly number[];
  readonly draw: (options: PlotOptions) => Plot;
}

export function createPlots({ svg }: Elements): Plots {
  const ticks: Plots["ticks"] = ({ from, to, about, whole }) => {
    const rough = (to - from) / Math.max(1, about);
    if (!(rough > 0)) return [from];
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999) ?? 10);
    const spacing = whole ? Math.max(1, Math.round(step)) : step;
    const first = Math.ceil(from / spacing - 1e-9);
    const last = Math.floor(to / spacing + 1e-9);
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) =>
      Number(((first + index) * spacing).toPrecision(12)),
    );
  };

  const text = (label: string, attributes: Readonly<Record<string, string | number>>): PageElement =>
    svg("text", { text: label, attributes });

  return {
    ticks,
    draw: (options) => {
      const { id, width, height, left, right, top, bottom, xFrom, xTo, yFrom, yTo } = options;
      const plotWidth = Math.max(1, width - left - right);
      const plotHeight = Math.max(1, height - top - bottom);
      const x = (value: number): number => left + ((value - xFrom) / (xTo - xFrom || 1)) * plotWidth;
      const y = (value: number): number =>
        top + plotHeight - ((value - yFrom) / (yTo - yFrom || 1)) * plotHeight;
      const floor = top + plotHeight;
      const root = svg("svg", {
        attributes: {
          viewBox: `0 0 ${width} ${height}`,
          role: "img",
          tabindex: 0,
          class: "plot",
          "aria-labelledby": `${id}-title ${id}-description`,
        },
        children: [
          svg("title", { text: options.title, attributes: { id: `${id}-title` } }),
          svg("desc", { text: options.description, attributes: { id: `${id}-description` } }),
        ],
      });
      for (const value of ticks({ from: yFrom, to: yTo, about: plotHeight / 48, whole: options.wholeY })) {
        const place = y(value);
        root.append(
          svg("line", { attributes: { class: "grid", x1: left, x2: width - right, y1: place, y2: place } }),
          text(options.yFormat(value), {
            class: "tick",
            x: left - 8,
            y: place,
            dy: "0.32em",
            "text-anchor": "end",
          }),
        );
      }
      for (const value of ticks({ from: xFrom, to: xTo, about: plotWidth / 90, whole: options.wholeX })) {
        const place = x(value);
        root.append(
          svg("line", { attributes: { class: "axis", x1: place, x2: place, y1: floor, y2: floor + 4 } }),
          text(options.xFormat(value), { class: "tick", x: place, y: floor + 17, "text-anchor": "middle" }),
        );
      }
      root.append(
        svg("line", { attributes: { class: "axis", x1: left, x2: width - right, y1: floor, y2: floor } }),
        text(options.xLabel, {
          class: "axis-name",
          x: left + plotWidth / 2,
          y: floor + 34,
          "text-anchor": "middle",
        }),
        text(options.yLabel, { class: "axis-name", x: 0, y: 11 }),
      );
      return {
        svg: root,
        x,
        y,
        xAt: (place) => xFrom + ((place - left) / plotWidth) * (xTo - xFrom),
        options,
      };
    },
  };
}
