import type { Elements } from "./elements.js";
import type { PageElement } from "./page-types.js";
import type { Plot } from "./plot.js";

/** One line of what is shown beside the cursor. */
export interface CursorRow {
  /** Classes of the swatch; left out where there is none. */
  readonly swatch?: string;
  readonly label: string;
  readonly value: string;
}

interface CursorReading {
  readonly heading: string;
  readonly rows: readonly CursorRow[];
  /** Where the cursor's line stands, on the plot's horizontal axis. */
  readonly x: number;
}

export interface Cursors {
  /**
   * Values at the stop nearest to the pointer, or at the one that the arrow keys, Page Up and Page Down, Home and
   * End have moved to; Escape hides them.
   */
  readonly attach: (options: {
    readonly plot: Plot;
    /** The element around the SVG: positioned, as wide as the SVG. */
    readonly holder: PageElement;
    /** How many places the cursor can stand at, in the order of the keys. */
    readonly stops: number;
    /** The stop nearest to a place on the SVG. */
    readonly locate: (place: { readonly x: number; readonly y: number }) => number;
    readonly read: (stop: number) => CursorReading;
  }) => void;
  /** `locate` for turns in order, each as wide as one. */
  readonly turnLocator: (
    plot: Plot,
    turns: readonly number[],
  ) => (place: { readonly x: number; readonly y: number }) => number;
}

export function createCursors({ html, svg }: Elements): Cursors {
  const swatched = ({ swatch, label, value }: CursorRow): PageElement =>
    html("div", {
      attributes: { class: "reading" },
      children: [
        html("span", { attributes: { class: swatch === undefined ? "swatch none" : `swatch ${swatch}` } }),
        html("span", { text: label, attributes: { class: "reading-label" } }),
        html("span", { text: value, attributes: { class: "reading-value" } }),
      ],
    });

  return {
    turnLocator: (plot, turns) => (place) => {
      const turn = plot.xAt(place.x) - 0.5;
      let low = 0;
      let high = turns.length - 1;
      while (high - low > 1) {
        const middle = (low + high) >> 1;
        if ((turns[middle] ?? 0) <= turn) low = middle;
        else high = middle;
      }
      return Math.abs((turns[high] ?? 0) - turn) < Math.abs((turns[low] ?? 0) - turn) ? high : low;
    },
    attach: ({ plot, holder, stops, locate, read }) => {
      const { left, right, top, bottom, width, height } = plot.options;
      const line = svg("line", {
        attributes: { class: "cursor", y1: top, y2: height - bottom, visibility: "hidden" },
      });
      plot.svg.append(line);
      const box = html("div", { attributes: { class: "readings", "aria-live": "polite" } });
      box.hidden = true;
      holder.append(box);
      let stop = -1;

      const hide = (): void => {
        box.hidden = true;
        line.setAttribute("visibility", "hidden");
      };
      const show = (): void => {
        const reading = read(stop);
        const place = Math.min(width - right, Math.max(left, plot.x(reading.x)));
        line.setAttribute("x1", String(place));
        line.setAttribute("x2", String(place));
        line.setAttribute("visibility", "visible");
        box.replaceChildren(
          html("div", { text: reading.heading, attributes: { class: "reading-heading" } }),
          ...reading.rows.map(swatched),
        );
        box.hidden = false;
        const scale = holder.clientWidth / width;
        const beside = place * scale + 14;
        const fits = beside + box.offsetWidth <= holder.clientWidth;
        const leftOf = place * scale - 14 - box.offsetWidth;
        box.style.left = `${fits ? beside : Math.max(0, leftOf)}px`;
        box.style.top = `${top * scale}px`;
      };
      plot.svg.addEventListener("pointermove", ({ clientX, clientY }) => {
        const frame = plot.svg.getBoundingClientRect();
        const scale = width / frame.width;
        stop = locate({ x: (clientX - frame.left) * scale, y: (clientY - frame.top) * scale });
        show();
      });
      plot.svg.addEventListener("pointerleave", hide);
      plot.svg.addEventListener("blur", hide);
      plot.svg.addEventListener("keydown", (event) => {
        if (event.key === "Escape") return hide();
        const page = Math.max(1, Math.round(stops / 20));
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
        stop = Math.min(stops - 1, Math.max(0, stop + move));
        show();
      });
    },
  };
}
