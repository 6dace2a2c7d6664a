import { findModel } from "@palimpsest/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { priceOf, type BilledTokens } from "../../simulator/core/pricing.js";
import { BillExplainer, noCauses, type ComparedResponse } from "./bill-causes.js";

// Opus 4.5, in dollars a million: 6.25 written for five minutes, 0.5 read.
const WRITE = 6.25 / 1e6;
const READ = 0.5 / 1e6;
const found = findModel("claude-opus-4-5");
if (found === undefined) throw new Error("the model is in the table");
const model = found;

const tokens = (cacheRead: number, cacheWrite5m: number): BilledTokens => ({
  input: 0,
  cacheRead,
  cacheWrite5m,
  cacheWrite1h: 0,
  output: 10,
});
type Pair = readonly [recorded: BilledTokens, simulated: BilledTokens, more?: Partial<ComparedResponse>];
function explained(...pairs: readonly Pair[]) {
  const explainer = new BillExplainer(model);
  for (const [recorded, simulated, more] of pairs) {
    explainer.add({ recorded, simulated, isForeign: false, isCompacted: false, ...more });
  }
  return explainer.causes;
}
const like = (read: number, write: number): Pair => [tokens(read, write), tokens(read, write)];

describe("what the two bills differ by", () => {
  it("is nothing where they are the same, and nothing but counting where all is a little more", () => {
    expect(explained(like(0, 20_000), like(20_000, 1000), like(21_000, 400))).toEqual(noCauses);
    const counted = explained(like(0, 20_000), [tokens(20_000, 1000), tokens(20_000, 1200)]);
    expect(counted).toEqual(noCauses);
  });

  it("unlogged: a request grew by what nobody recorded, which is written once and then read", () => {
    const causes = explained(
      like(0, 20_000),
      [tokens(20_000, 9000), tokens(20_000, 1000)],
      [tokens(29_000, 100), tokens(21_000, 100)],
    );
    expect(causes.unlogged).toBeCloseTo(-8000 * WRITE - 8000 * READ, 9);
    expect({ ...causes, unlogged: 0 }).toEqual(noCauses);
  });

  it("unlogged: what is no longer sent costs nothing any more", () => {
    const causes = explained(
      like(0, 20_000),
      [tokens(20_000, 9000), tokens(20_000, 1000)],
      [tokens(20_000, 1100), tokens(20_000, 1100)],
      like(21_100, 200),
    );
    expect(causes.unlogged).toBeCloseTo(-8000 * WRITE, 9);
  });

  it("unlogged: what a compaction brought back beside what was recorded, up to the next one", () => {
    const causes = explained(
      like(0, 20_000),
      like(20_000, 90_000),
      [tokens(20_000, 12_000), tokens(20_000, 4000), { isCompacted: true }],
      [tokens(32_000, 100), tokens(24_000, 100)],
      [tokens(20_000, 4000), tokens(20_000, 4000), { isCompacted: true }],
    );
    expect(causes.unlogged).toBeCloseTo(-8000 * WRITE - 8000 * READ, 9);
  });

  it("aside: the response before was in the cache too", () => {
    const causes = explained(like(0, 20_000), [tokens(21_400, 100), tokens(20_000, 1500)]);
    expect(causes.aside).toBeCloseTo(1400 * (WRITE - READ), 9);
    expect({ ...causes, aside: 0 }).toEqual(noCauses);
  });

  it("kept: what had expired, or only another conversation had put there, was found", () => {
    const all = explained(like(0, 20_000), [tokens(20_000, 500), tokens(0, 20_500)]);
    expect(all.kept).toBeCloseTo(20_000 * (WRITE - READ), 9);
    const head = explained(like(0, 20_000), like(20_000, 9000), [tokens(15_000, 14_500), tokens(0, 29_500)]);
    expect(head.kept).toBeCloseTo(15_000 * (WRITE - READ), 9);
  });

  it("kept and aside at once are told apart where the request before ended", () => {
    const causes = explained(like(0, 20_000), [tokens(21_000, 500), tokens(0, 21_500)]);
    expect(causes.kept).toBeCloseTo(20_000 * (WRITE - READ), 9);
    expect(causes.aside).toBeCloseTo(1000 * (WRITE - READ), 9);
  });

  it("lost: less was found than was there; another vendor's cache is its own affair", () => {
    const pairs: readonly Pair[] = [like(0, 20_000), [tokens(14_000, 6500), tokens(20_000, 500)]];
    expect(explained(...pairs).lost).toBeCloseTo(-6000 * (WRITE - READ), 9);
    const foreign = explained(...pairs.map(([a, b]): Pair => [a, b, { isForeign: true }]));
    expect(foreign.vendor).toBeCloseTo(-6000 * (WRITE - READ), 9);
    expect(foreign.lost).toBe(0);
  });

  it("finds the same place where tokens are counted otherwise: that is counting, no loss", () => {
    const causes = explained(
      [tokens(0, 20_000), tokens(0, 22_000)],
      [tokens(20_000, 2000), tokens(22_000, 2200)],
      [tokens(22_000, 1000), tokens(24_200, 1100)],
    );
    expect(causes).toEqual(noCauses);
  });

  it("takes whatever is recorded, and never more than one response cost for its cache", () => {
    const some = fc.record({
      read: fc.nat(300_000),
      write: fc.nat(300_000),
      isForeign: fc.boolean(),
      isCompacted: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(fc.tuple(some, some), { maxLength: 30 }), (pairs) => {
        const all = pairs.map(([a, b]): Pair => [tokens(a.read, a.write), tokens(b.read, b.write), a]);
        const { unlogged, ...cache } = explained(...all);
        const most = all.reduce((sum, [, simulated]) => {
          const { cacheRead, cacheWrite5m } = simulated;
          return sum + priceOf(model, { ...simulated, cacheRead: 0, cacheWrite5m: cacheRead + cacheWrite5m });
        }, 0);
        expect(Number.isFinite(unlogged)).toBe(true);
        for (const dollars of Object.values(cache))
          expect(Math.abs(dollars)).toBeLessThanOrEqual(most + 1e-9);
      }),
    );
  });
});
