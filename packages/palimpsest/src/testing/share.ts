/**
 * Tables and lengths of which `npm test` takes a part and `npm run soak` all: its run `properties` plays every file that
 * imports this one in full, as it does those with properties (test/properties/fast-check.ts).
 */
const isFull = Number(process.env["PALIMPSEST_PROPERTY_SHARE"] ?? 0) >= 1;

/** Which part: that of the seed, where one is given, else one by chance. */
const seed = Number(process.env["PALIMPSEST_PROPERTY_SEED"] ?? Math.floor(Math.random() * 1_000_000));

/** So many of the rows, another part with every seed, and with every `from`; in a full run all of them. */
export function someOf<T>(rows: readonly T[], count: number, from = 0): readonly T[] {
  if (isFull || count >= rows.length) return rows;
  const first = (Math.abs(seed) + from) % rows.length;
  return [...rows, ...rows].slice(first, first + count);
}

/** How often or how long: less, where the run is not a full one. */
export const orLess = (full: number, less: number): number => (isFull ? full : less);
