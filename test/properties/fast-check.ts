import * as real from "fast-check";

export * from "fast-check";

/**
 * fast-check as every test here gets it (vitest.config.ts puts it in its place). The numbers of cases in the tests are
 * those of a full run, which `npm run soak` makes; `npm test` tries a share of them, and at least fifteen.
 */
const share = Number(process.env["PALIMPSEST_PROPERTY_SHARE"] ?? 0.05);
const LEAST = 15;

/** All properties begin with this one, where it is given. */
const seed = process.env["PALIMPSEST_PROPERTY_SEED"];

let cases = 0;

/** How many cases were tried since this was asked. */
export function takeCases(): number {
  const taken = cases;
  cases = 0;
  return taken;
}

export function assert<T>(
  property: real.IRawProperty<T>,
  parameters: real.Parameters<T> = {},
): Promise<void> | void {
  const { numRuns: full = 100 } = parameters;
  const numRuns = Math.max(Math.min(full, LEAST), Math.ceil(full * share));
  cases += numRuns;
  return real.assert(property, {
    ...(seed === undefined ? {} : { seed: Number(seed) }),
    ...parameters,
    numRuns,
  });
}

// oxlint-disable-next-line import/no-default-export -- it has the shape of the package that it stands for
export default { ...real, assert };
