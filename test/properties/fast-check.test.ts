import fc from "fast-check";
import { expect, it } from "vitest";
import { takeCases } from "./fast-check.js";

const share = Number(process.env["PALIMPSEST_PROPERTY_SHARE"] ?? 0.05);

it("properties try their share of cases, at least fifteen, and these are counted", async () => {
  takeCases();
  let tried = 0;
  const count = (): void => {
    tried += 1;
  };
  fc.assert(fc.property(fc.nat(), count), { numRuns: 1000 });
  expect(tried).toBe(Math.max(15, 1000 * share));
  await fc.assert(
    fc.asyncProperty(fc.nat(), async () => count()),
    { numRuns: 20 },
  );
  expect(tried).toBe(Math.max(15, 1000 * share) + Math.max(15, Math.ceil(20 * share)));
  expect(takeCases()).toBe(tried);
  expect(takeCases()).toBe(0);
});
