import fc from "fast-check";

/** Checks an invariant over 10,000 cases; test/properties/fast-check.ts says how many of them `npm test` tries. */
export function checkProperty<T>(name: string, arbitrary: fc.Arbitrary<T>, holds: (value: T) => void): void {
  const property = fc.property(arbitrary, (value) => {
    holds(value);
  });
  try {
    fc.assert(property, { numRuns: 10_000 });
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
  }
}
