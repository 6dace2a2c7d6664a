/** From where to where a figure lies, as far as the conversations at hand can tell. */
export type Interval = readonly [low: number, high: number];

export interface BootstrapOptions {
  /** How often the clusters are drawn anew. Default 2,000. */
  readonly resamples?: number;
  /** The same seed draws the same. Default 1. */
  readonly seed?: number;
  /** How much of the draws the interval holds. Default 0.95. */
  readonly level?: number;
}

/**
 * An interval for a figure of several clusters, such as all conversations about one repository, which are more alike
 * than others: as many clusters are drawn as there are, each as often as chance has it, over and over; the interval
 * holds the middle of what the figure then is. Deterministic. Null for a single cluster, which says nothing of others.
 */
export function bootstrapInterval<Cluster>(
  clusters: readonly Cluster[],
  figureOf: (drawn: readonly Cluster[]) => number,
  options: BootstrapOptions = {},
): Interval | null {
  return bootstrapIntervals(clusters, (drawn) => [figureOf(drawn)], options)?.[0] ?? null;
}

/** The same for several figures of the same draws. */
export function bootstrapIntervals<Cluster>(
  clusters: readonly Cluster[],
  figuresOf: (drawn: readonly Cluster[]) => readonly number[],
  { resamples = 2000, seed = 1, level = 0.95 }: BootstrapOptions = {},
): readonly Interval[] | null {
  if (clusters.length < 2) return null;
  const random = createRandom(seed);
  const draws = Array.from({ length: resamples }, () =>
    figuresOf(clusters.map(() => clusters[Math.floor(random() * clusters.length)] as Cluster)),
  );
  const tail = (1 - level) / 2;
  return (draws[0] ?? []).map((_, figure) => {
    const values = draws.map((drawn) => drawn[figure] ?? 0).toSorted((a, b) => a - b);
    return [quantile(values, tail), quantile(values, 1 - tail)];
  });
}

/** Between the two values next to it, as far as it is from each. */
export function quantile(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share;
  const low = sorted[Math.floor(place)] ?? 0;
  const high = sorted[Math.ceil(place)] ?? low;
  return low + (high - low) * (place - Math.floor(place));
}

/** Numbers from 0 up to 1 (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
