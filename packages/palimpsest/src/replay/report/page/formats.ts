/** Figures for people. What is not a number reads as a dash. */
export interface Formats {
  readonly count: (value: number) => string;
  /** `940`, `21.4k`, `1.25M`. */
  readonly tokens: (value: number) => string;
  readonly dollars: (value: number) => string;
  /** For axes: no more digits than the value has. */
  readonly roundDollars: (value: number) => string;
  readonly share: (value: number) => string;
  readonly ratio: (value: number) => string;
  readonly milliseconds: (value: number) => string;
}

export function createFormats(): Formats {
  /** JSON has no NaN and no infinity: they arrive as null. */
  const ifNumber =
    (format: (value: number) => string) =>
    (value: number): string =>
      typeof value === "number" && Number.isFinite(value) ? format(value) : "–";
  const fixed = (value: number, digits: number): string =>
    value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const short = (value: number, digits: number): string =>
    value.toLocaleString("en-US", { maximumSignificantDigits: digits });
  return {
    count: ifNumber((value) => fixed(value, 0)),
    tokens: ifNumber((value) => {
      if (Math.abs(value) < 1_000) return fixed(value, 0);
      return Math.abs(value) < 999_500 ? `${short(value / 1_000, 3)}k` : `${short(value / 1_000_000, 3)}M`;
    }),
    dollars: ifNumber((value) => {
      if (value === 0) return "$0";
      if (Math.abs(value) < 0.00005) return "<$0.0001";
      if (Math.abs(value) < 0.1) return `$${fixed(value, 4)}`;
      return `$${fixed(value, Math.abs(value) < 1_000 ? 2 : 0)}`;
    }),
    roundDollars: ifNumber((value) => `$${short(value, 6)}`),
    /** Never rounded up to all, nor down to nothing. */
    share: ifNumber((value) => {
      const percent = value * 100;
      if (percent < 100 && percent > 99.9) return "99.9%";
      if (percent > 0 && percent < 0.1) return "<0.1%";
      return percent === 100 || percent === 0 ? `${percent}%` : `${fixed(percent, 1)}%`;
    }),
    ratio: ifNumber((value) => `${fixed(value, 2)}×`),
    milliseconds: ifNumber((value) => short(value, value < 1 ? 2 : 3)),
  };
}
