import { expect, it } from "vitest";
import { runPlans } from "../../packages/palimpsest/src/soak/plans.js";

/** Conversations of every kind; `palimpsest soak --only plans` has 10,000. */
const SEEDS = Array.from({ length: 15 }, (_, at) => at + 1);

it("what plan() says is what prepare() does, and where a call fails the next writer of the plan is asked", async () => {
  const seen: Record<string, number> = {};
  for (const seed of SEEDS) {
    for (const [name, count] of Object.entries(await runPlans(seed, { turns: 16 }))) {
      seen[name] = (seen[name] ?? 0) + count;
    }
  }
  expect(seen["turns"]).toBeGreaterThan(180);
  // Nothing is proved where nothing had to be done.
  expect(Object.keys(seen)).toEqual(
    expect.arrayContaining(["media", "time-based", "cached", "oversize", "fork"]),
  );
});
