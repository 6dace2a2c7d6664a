import { describe, expect, it } from "vitest";
import { formatFigure } from "./format-figure.js";

const shown = (value: number, unit: string): string =>
  formatFigure({ name: "n", value, unit }).replace(/^n +/, "");

describe("formatFigure", () => {
  it("shows what matters of a number, with its unit", () => {
    expect(shown(6.0387, "µs")).toBe("6.039 µs");
    expect(shown(0.954_31, "ratio")).toBe("0.9543 ratio");
    expect(shown(0.000_123_456, "ms")).toBe("0.0001235 ms");
    expect(shown(999.96, "ms")).toBe("1,000 ms");
    expect(shown(169_513, "tokens")).toBe("169,513 tokens");
    expect(shown(0, "requests")).toBe("0 requests");
    expect(shown(-3.5, "MB")).toBe("-3.5 MB");
    expect(shown(199.047, "$")).toBe("199.05 $");
    expect(shown(1053.9, "$")).toBe("1,053.90 $");
  });

  it("puts values under one another, and no blanks at the end", () => {
    const lines = [
      formatFigure({ name: "replay.palimpsest.cost", value: 199.05, unit: "$" }),
      formatFigure({ name: "normalise.round.100.median", value: 6, unit: "µs" }),
      formatFigure({ name: "something", value: 12, unit: "" }),
    ];
    expect(new Set(lines.map((line) => line.search(/\d (?:\$|µs)$|\d$/)))).toEqual(new Set([68]));
    for (const line of lines) expect(line).toBe(line.trimEnd());
  });
});
