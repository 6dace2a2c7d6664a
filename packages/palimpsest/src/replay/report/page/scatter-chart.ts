import type { NamedFigures } from "../report-data.js";
import type { Cursors } from "./cursor.js";
import type { Elements } from "./elements.js";
import type { Formats } from "./formats.js";
import type { PageElement } from "./page-types.js";
import type { Plots } from "./plot.js";
import type { PolicyStyle } from "./policy-styles.js";

export interface ScatterChart {
  /** Fills the holder. */
  readonly draw: (options: {
    readonly holder: PageElement;
    readonly policies: readonly NamedFigures[];
    readonly styleOf: (name: string) => PolicyStyle;
  }) => void;
}

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** What each policy cost against what it still knew: up and to the left is better. */
export function createScatterChart(kit: {
  readonly elements: Elements;
  readonly formats: Formats;
  readonly plots: Plots;
  readonly cursors: Cursors;
}): ScatterChart {
  const { elements, formats, plots, cursors } = kit;
  const { svg } = elements;
  const overlap = (one: Box, other: Box): number =>
    Math.max(0, Math.min(one.right, other.right) - Math.max(one.left, other.left)) *
    Math.max(0, Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top));

  /** Where a name runs into the least, tried nearest first. */
  const placeName = (options: {
    readonly x: number;
    readonly y: number;
    readonly length: number;
    readonly taken: readonly Box[];
    readonly within: Box;
  }): Box => {
    const { x, y, length, taken, within } = options;
    const candidates = [0, 14, -14, 28, -28, 42, -42, 56, 70, 84].flatMap((shift) =>
      [x + 10, x - 10 - length, x - length / 2].map((left, side) => {
        const middle = y + shift + (side === 2 && shift === 0 ? -16 : 0);
        return { left, right: left + length, top: middle - 7, bottom: middle + 7 };
      }),
    );
    let best: Box = candidates[0] ?? within;
    let least = Infinity;
    for (const candidate of candidates) {
      const outside =
        candidate.left < within.left ||
        candidate.right > within.right ||
        candidate.top < within.top ||
        candidate.bottom > within.bottom;
      const covered = taken.reduce((sum, box) => sum + overlap(candidate, box), outside ? 10_000 : 0);
      if (covered < least) {
        least = covered;
        best = candidate;
      }
      if (covered === 0) break;
    }
    return best;
  };

  return {
    draw: ({ holder, policies, styleOf }) => {
      const width = Math.max(280, holder.clientWidth);
      const shown = policies
        .filter(({ figures }) => Number.isFinite(figures.cost) && Number.isFinite(figures.recall))
        .toSorted((left, right) => left.figures.cost - right.figures.cost);
      const lowest = Math.min(1, ...shown.map(({ figures }) => figures.recall));
      const highest = Math.max(0, ...shown.map(({ figures }) => figures.cost));
      const spread = Math.max(0.02, 1 - lowest);
      const plot = plots.draw({
        id: "scatter-plot",
        title: "Cost against recall",
        description: shown
          .map(
            ({ name, figures }) =>
              `${name}: ${formats.dollars(figures.cost)}, recall ${formats.share(figures.recall)}`,
          )
          .join("; "),
        width,
        height: 340,
        left: 60,
        right: 16,
        top: 30,
        bottom: 44,
        xFrom: 0,
        xTo: (highest > 0 ? highest : 1) * 1.08,
        yFrom: Math.max(0, 1 - spread * 1.15),
        yTo: 1 + spread * 0.08,
        xLabel: "cost of all conversations",
        yLabel: "recall",
        xFormat: formats.roundDollars,
        yFormat: (value) => (value > 1 ? "" : formats.share(value)),
        wholeX: false,
        wholeY: false,
      });
      const points = shown.map(({ name, figures }) => ({
        name,
        figures,
        x: plot.x(figures.cost),
        y: plot.y(figures.recall),
        style: styleOf(name),
        sound: figures.invalid === 0 && figures.overflow === 0,
      }));
      const taken: Box[] = points.map(({ x, y }) => ({
        left: x - 7,
        right: x + 7,
        top: y - 7,
        bottom: y + 7,
      }));
      const { top, height, bottom, left, right } = plot.options;
      const within = { left, right: width - right, top, bottom: height - bottom };
      for (const { name, x, y, style, sound } of points) {
        const box = placeName({ x, y, length: name.length * 7.4, taken, within });
        taken.push(box);
        const middle = (box.top + box.bottom) / 2;
        const isLeft = box.right < x;
        const place = isLeft ? box.right : box.left;
        if (Math.abs(middle - y) > 9) {
          const near = Math.min(box.right, Math.max(box.left, x));
          plot.svg.append(
            svg("path", { attributes: { class: `leader ${style.hue}`, d: `M${x},${y}L${near},${middle}` } }),
          );
        }
        plot.svg.append(
          svg("text", {
            text: name,
            attributes: {
              class: `line-name ${style.hue}`,
              x: place,
              y: middle,
              dy: "0.32em",
              "text-anchor": isLeft ? "end" : "start",
            },
          }),
        );
        plot.svg.append(
          svg("circle", {
            attributes: {
              class: `point ${style.hue} ${style.dash}${sound ? "" : " unsound"}`,
              "data-point": name,
              cx: x,
              cy: y,
              r: 6,
            },
          }),
        );
      }
      holder.replaceChildren(plot.svg);
      if (points.length === 0) return;
      cursors.attach({
        plot,
        holder,
        stops: points.length,
        locate: (place) => {
          const distances = points.map(({ x, y }) => Math.hypot(x - place.x, y - place.y));
          return distances.indexOf(Math.min(...distances));
        },
        read: (stop) => {
          const point = points[Math.max(0, stop)];
          const figures = point?.figures;
          return {
            x: figures?.cost ?? 0,
            heading: point?.name ?? "",
            rows:
              figures === undefined
                ? []
                : [
                    { label: "cost", value: formats.dollars(figures.cost) },
                    { label: "to never forgetting", value: formats.ratio(figures.costRatio) },
                    { label: "recall", value: formats.share(figures.recall) },
                    { label: "overflow", value: formats.count(figures.overflow) },
                  ],
          };
        },
      });
    },
  };
}
