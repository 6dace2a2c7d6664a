/** Figures for people. What is not a number reads as a dash: JSON has no NaN and no infinity, they arrive as null. */
export interface Formats {
  /** `41,151` */
  readonly count: (value: number | null | undefined) => string;
  /** `940`, `21.4k`, `1.25M`, where there is no room for more. */
  readonly tokens: (value: number | null | undefined) => string;
  /** `$0.0848`, `$1.50`, `$12,345` */
  readonly dollars: (value: number | null | undefined) => string;
  /** For axes: no more digits than the value has. */
  readonly roundDollars: (value: number | null | undefined) => string;
  readonly share: (value: number | null | undefined) => string;
  readonly ratio: (value: number | null | undefined) => string;
  readonly milliseconds: (value: number | null | undefined) => string;
  /** `1.2 MB` */
  readonly bytes: (value: number | null | undefined) => string;
  /** `4 min`, `2 h 5 min`, `3 days` */
  readonly duration: (milliseconds: number | null | undefined) => string;
}

const ifNumber =
  (format: (value: number) => string) =>
  (value: number | null | undefined): string =>
    typeof value === "number" && Number.isFinite(value) ? format(value) : "–";

const fixed = (value: number, digits: number): string =>
  value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });

const short = (value: number, digits: number): string =>
  value.toLocaleString("en-US", { maximumSignificantDigits: digits });

const signed = (value: number, text: string): string => (value < 0 ? `−${text}` : text);

export const formats: Formats = {
  count: ifNumber((value) => fixed(value, 0)),
  tokens: ifNumber((value) => {
    if (Math.abs(value) < 1_000) return fixed(value, 0);
    return Math.abs(value) < 999_500 ? `${short(value / 1_000, 3)}k` : `${short(value / 1_000_000, 3)}M`;
  }),
  dollars: ifNumber((value) => {
    const size = Math.abs(value);
    if (size === 0) return "$0";
    if (size < 0.00005) return "<$0.0001";
    return signed(value, `$${fixed(size, size < 0.1 ? 4 : size < 1_000 ? 2 : 0)}`);
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
  bytes: ifNumber((value) => {
    if (value < 1_000) return `${fixed(value, 0)} B`;
    if (value < 999_500) return `${short(value / 1_000, 3)} kB`;
    return value < 999_500_000 ? `${short(value / 1e6, 3)} MB` : `${short(value / 1e9, 3)} GB`;
  }),
  duration: ifNumber((value) => {
    const seconds = Math.round(value / 1_000);
    if (seconds < 60) return `${seconds} s`;
    const minutes = Math.floor(seconds / 60);
    if (minutes < 10 && seconds % 60 > 0) return `${minutes} min ${seconds % 60} s`;
    if (minutes < 60) return `${minutes} min`;
    const hours = Math.floor(minutes / 60);
    if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
    return `${Math.round(hours / 24)} days`;
  }),
};
