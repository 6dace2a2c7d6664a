/** The value that so large a share of all lies below. There must be values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  if (value === undefined) throw new Error("nothing was measured");
  return value;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);

export const roundTo = (value: number, digits: number): number => Number(value.toFixed(digits));

/** Microseconds since a reading of `process.hrtime.bigint()`. */
export const microsecondsSince = (started: bigint): number =>
  Number(process.hrtime.bigint() - started) / 1000;

export interface Spread {
  readonly median: number;
  readonly p99: number;
}

export const spreadOf = (values: readonly number[]): Spread => ({
  median: median(values),
  p99: percentile(values, 0.99),
});

/** Of several runs the middle one, for each figure on its own. */
const typical = (runs: readonly Spread[]): Spread => ({
  median: median(runs.map((run) => run.median)),
  p99: median(runs.map((run) => run.p99)),
});

interface Comparison<Size extends number> {
  readonly sizes: readonly Size[];
  readonly runs: number;
  readonly measure: (size: Size) => Spread | Promise<Spread>;
}

/** Measures sizes in turn, so that a slow moment of the machine meets all of them alike. */
export async function compareSizes<const Size extends number>({
  sizes,
  runs,
  measure,
}: Comparison<Size>): Promise<Readonly<Record<Size, Spread>>> {
  const measured = new Map<Size, Spread[]>(sizes.map((size) => [size, []]));
  for (let run = 0; run < runs; run += 1) {
    for (const [size, spreads] of measured) spreads.push(await measure(size));
  }
  return Object.fromEntries([...measured].map(([size, spreads]) => [size, typical(spreads)])) as Record<
    Size,
    Spread
  >;
}
