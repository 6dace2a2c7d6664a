/** Colours and fonts of the style sheet, as a canvas needs them. Read again when the theme changes. */
export interface ChartColours {
  /** The value of a custom property, such as `kind-results`. */
  readonly of: (name: string) => string;
  readonly font: string;
  readonly boldFont: string;
}

const FAMILY = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';

export function readChartColours(): ChartColours {
  const style = getComputedStyle(document.documentElement);
  return {
    of: (name) => style.getPropertyValue(`--${name}`).trim() || "#888888",
    font: `11px ${FAMILY}`,
    boldFont: `600 11px ${FAMILY}`,
  };
}

/** A colour with stripes across it: what is told apart without its colour. */
export function striped(colour: string, paper: string): CanvasPattern | string {
  const tile = document.createElement("canvas");
  const size = 8;
  tile.width = size;
  tile.height = size;
  const pen = tile.getContext("2d");
  if (pen === null) return colour;
  pen.fillStyle = paper;
  pen.fillRect(0, 0, size, size);
  pen.strokeStyle = colour;
  pen.lineWidth = 2.4;
  for (const shift of [-size, 0, size]) {
    pen.beginPath();
    pen.moveTo(shift - 1, size + 1);
    pen.lineTo(shift + size + 1, -1);
    pen.stroke();
  }
  return pen.createPattern(tile, "repeat") ?? colour;
}
