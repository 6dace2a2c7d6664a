import fc from "fast-check";

/** At least 10,000 cases of each invariant; more with PALIMPSEST_PROPERTY_RUNS, the same again with _SEED. */
const numRuns = Number(process.env["PALIMPSEST_PROPERTY_RUNS"] ?? 10_000);
const seed = Number(process.env["PALIMPSEST_PROPERTY_SEED"] ?? Date.now() ^ process.pid);

/** Checks a property over many cases and says with which seed. */
export function checkProperty<T>(name: string, arbitrary: fc.Arbitrary<T>, holds: (value: T) => void): void {
  console.log(`${name}: ${numRuns} cases, seed ${seed}`);
  fc.assert(
    fc.property(arbitrary, (value) => {
      holds(value);
    }),
    { numRuns, seed },
  );
}
