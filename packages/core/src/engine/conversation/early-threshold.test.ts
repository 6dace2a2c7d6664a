import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Prices } from "../../models/model.js";
import type { CostFacts } from "../money/cost-rule.js";
import type { CacheFacts } from "../events/cost-verdict.js";
import { thresholdsFor } from "../measure/thresholds.js";
import { defaultSettings, type Settings } from "../settings/settings.js";
import { findModel } from "../../models/table.js";
import { earlyThreshold, keptTokens, type EarlyFacts } from "./early-threshold.js";

const prices: Prices = { input: 5, output: 25, cacheRead: 0.5, cacheWrite5m: 6.25, cacheWrite1h: 10 };
const ladder = (autoCompactAt: number): EarlyFacts["thresholds"] => ({
  contextWindow: autoCompactAt + 33_000,
  effectiveWindow: autoCompactAt + 13_000,
  autoCompactAt,
  hardAt: autoCompactAt + 13_000,
  limit: autoCompactAt,
  warnAt: Math.max(0, autoCompactAt - 20_000),
  errorAt: Math.max(0, autoCompactAt - 20_000),
  isAutoCompactOn: true,
});
/** The formula alone: no patience, and nothing that keeps it from going low. */
const bare: Settings = {
  ...defaultSettings,
  compactEarlyShare: 0.01,
  compactEarlyLeast: 0,
  compactEarlyPatience: 1,
  compactEarlyAfter: 0,
};

interface Changes extends Partial<Omit<EarlyFacts, "cost" | "thresholds">> {
  readonly cache?: CacheFacts;
  readonly prices?: Prices;
  readonly autoCompactAt?: number;
}

const facts = ({
  cache = { state: "warm", ttl: "5m" },
  prices: paid = prices,
  autoCompactAt = 900_000,
  ...rest
}: Changes = {}): EarlyFacts => ({
  thresholds: ladder(autoCompactAt),
  settings: bare,
  cost: { prices: paid, cache },
  tokens: 150_000,
  overhead: 20_000,
  stretch: { startTokens: 50_000, responses: 50, redone: 0, cleared: 0 },
  ...rest,
});

/** Figures are rounded, so that a small difference in an estimate decides nothing. */
const near = (tokens: number) => ({ from: tokens - 500, to: tokens + 500 });
const expectNear = (threshold: number, tokens: number): void => {
  expect(threshold).toBeGreaterThanOrEqual(near(tokens).from);
  expect(threshold).toBeLessThanOrEqual(near(tokens).to);
};

describe("by hand: L = 50,000, g = 100,000 / 50 = 2,000", () => {
  it("warm: reads it all once, writes a summary, writes anew what is behind the head", () => {
    // F = 0.5·150,000 + 25·3,000 + (50,000 − 20,000)·(6.25 − 0.5) = 322,500; √(2·322,500·2,000 / 0.5) = 50,794
    expectNear(earlyThreshold(facts()), 100_794);
    // An hour: (10 − 0.5) in place of (6.25 − 0.5); F = 435,000; √(3.48e9) = 58,992
    expectNear(earlyThreshold(facts({ cache: { state: "warm", ttl: "1h" } })), 108_992);
  });

  it("cold: what the smaller context does not write is saved", () => {
    // F = 5·150,000 + 75,000 − 6.25·100,000 = 200,000; √(2·200,000·2,000 / 0.5) = 40,000
    expectNear(earlyThreshold(facts({ cache: { state: "cold", ttl: "5m" } })), 90_000);
    // An hour: F = 825,000 − 1,000,000 < 0: a compaction costs nothing
    expectNear(earlyThreshold(facts({ cache: { state: "cold", ttl: "1h" } })), 50_000);
  });

  it("off: reading costs what input costs", () => {
    // F = 5·150,000 + 75,000 = 825,000; √(2·825,000·2,000 / 5) = 25,690
    expectNear(earlyThreshold(facts({ cache: { state: "off", ttl: "5m" } })), 75_690);
  });

  it("waits longer with patience", () => {
    const settings = { ...bare, compactEarlyPatience: 2 };
    expectNear(earlyThreshold(facts({ settings })), 50_000 + 2 * 50_794);
  });

  it("before the first compaction: L is what one is expected to leave", () => {
    // L = 20,000 + 10,000 + 20,000, g = 130,000 / 50 = 2,600; √(2·322,500·2,600 / 0.5) = 57,913
    const stretch = { startTokens: undefined, responses: 50, redone: 0, cleared: 0 };
    expectNear(earlyThreshold(facts({ stretch, settings: { ...bare, keepRecentTokens: 10_000 } })), 107_913);
  });

  it("each call beyond two that had to be made again makes it later by its share, up to four more", () => {
    const at = (redone: number, compactEarlyRedone = 0.5): number =>
      earlyThreshold(
        facts({
          stretch: { startTokens: 50_000, responses: 50, redone, cleared: 0 },
          settings: { ...bare, compactEarlyRedone },
        }),
      ) - 50_000;
    const once = at(0);
    for (const redone of [1, 2]) expect(at(redone)).toBe(once);
    for (const redone of [3, 4, 5]) expectNear(at(redone), once * (1 + (redone - 2) / 2));
    expect(at(6, 0.25)).toBe(at(400, 0.25));
    expect(at(6, 0)).toBe(once);
  });

  it("not in the first rounds after a compaction or the start while the cache is warm, whatever it would save", () => {
    const at = (responses: number, state: CacheFacts["state"], compactEarlyAfter = 10): number =>
      earlyThreshold(
        facts({
          stretch: { startTokens: 50_000, responses, redone: 0, cleared: 0 },
          settings: { ...bare, compactEarlyAfter },
          cache: { state, ttl: "5m" },
        }),
      );
    for (const responses of [0, 9]) {
      expect(at(responses, "warm")).toBe(900_000);
      expect(at(responses, "warm", 0)).toBeLessThan(900_000);
      expect(at(responses, "cold")).toBeLessThan(900_000);
      expect(at(responses, "off")).toBeLessThan(900_000);
    }
    expect(at(10, "warm")).toBeLessThan(900_000);
  });

  it("until enough responses came, and where clearing took more than was added, growth is the usual one", () => {
    const usual = earlyThreshold(
      facts({ stretch: { startTokens: 50_000, responses: 4, redone: 0, cleared: 0 } }),
    );
    expectNear(usual, 100_794);
    const cleared = facts({
      tokens: 40_000,
      stretch: { startTokens: 50_000, responses: 50, redone: 0, cleared: 0 },
    });
    // F = 0.5·40,000 + 75,000 + 172,500 = 267,500; √(2·267,500·2,000 / 0.5) = 46,260
    expectNear(earlyThreshold(cleared), 96_260);
  });

  it("what clearing took had grown too", () => {
    const stretch = { startTokens: 50_000, responses: 50, redone: 0, cleared: 0 };
    const whole = earlyThreshold(facts({ stretch }));
    const cut = earlyThreshold(facts({ tokens: 100_000, stretch: { ...stretch, cleared: 50_000 } }));
    const fresh = earlyThreshold(facts({ tokens: 100_000, stretch }));
    expect(cut).toBeGreaterThan(fresh);
    // Reading less for the summary is all the difference.
    expect(cut).toBeLessThan(whole);
    expect(whole - cut).toBeLessThan((whole - 50_000) * 0.1);
  });
});

it("is the window's own threshold where it is turned off, or where nobody knows what things cost", () => {
  expect(earlyThreshold(facts({ settings: { ...bare, compactEarly: false } }))).toBe(900_000);
  expect(earlyThreshold({ ...facts(), cost: undefined })).toBe(900_000);
  const free: Prices = { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
  for (const state of ["warm", "cold", "off"] as const) {
    expect(earlyThreshold(facts({ prices: free, cache: { state, ttl: "5m" } }))).toBe(900_000);
  }
});

it("is never below the least in tokens, unless the window itself is smaller", () => {
  const settings = { ...bare, compactEarlyLeast: 120_000 };
  expect(earlyThreshold(facts({ settings }))).toBe(120_000);
  expect(earlyThreshold(facts({ settings, autoCompactAt: 110_000 }))).toBe(110_000);
  expect(earlyThreshold(facts({ settings, autoCompactAt: 0 }))).toBe(0);
});

it("does not depend on the least alone while what was reported is still below it", () => {
  // The estimate of what came since may be beyond it: costs decide all the same.
  const settings = { ...bare, compactEarlyLeast: 60_000 };
  const stretch = { startTokens: 50_000, responses: 2, redone: 0, cleared: 0 };
  expect(earlyThreshold(facts({ tokens: 55_000, settings, stretch }))).toBeGreaterThan(80_000);
});

const caches = fc.record<CacheFacts>({
  state: fc.constantFrom("warm", "cold", "off"),
  ttl: fc.constantFrom("5m", "1h"),
});
const counts = fc.oneof(
  fc.nat({ max: 1_000_000 }),
  fc.constantFrom(0, 1, Number.MAX_SAFE_INTEGER, Number.MAX_VALUE),
);
const dollars = fc.oneof(
  fc.double({ min: 0, max: 200, noNaN: true }),
  fc.constantFrom(0, Number.MIN_VALUE, 1e-9, 1e9),
);
const anyPrices = fc.record<Prices>({
  input: dollars,
  output: dollars,
  cacheRead: dollars,
  cacheWrite5m: dollars,
  cacheWrite1h: dollars,
});
const share = fc.double({ min: Number.MIN_VALUE, max: 1, noNaN: true });

describe("whatever the figures", () => {
  it("is a number, never above the window's threshold, never below the share of it", () => {
    fc.assert(
      fc.property(
        fc.record({
          cost: fc.option(fc.record<CostFacts>({ prices: anyPrices, cache: caches }), { nil: undefined }),
          tokens: counts,
          overhead: counts,
          autoCompactAt: fc.nat({ max: 2_000_000 }),
          startTokens: fc.option(counts, { nil: undefined }),
          responses: fc.oneof(fc.nat({ max: 10_000 }), fc.constant(Number.MAX_SAFE_INTEGER)),
          redone: fc.oneof(fc.nat({ max: 10 }), fc.constant(Number.MAX_SAFE_INTEGER)),
          compactEarlyRedone: fc.double({ min: 0, max: 100, noNaN: true }),
          compactEarly: fc.boolean(),
          compactEarlyShare: share,
          compactEarlyLeast: counts,
          compactEarlyPatience: fc.double({ min: Number.MIN_VALUE, max: 100, noNaN: true }),
          compactEarlyAfter: counts,
          keepRecentTokens: counts,
        }),
        ({ cost, tokens, overhead, autoCompactAt, startTokens, responses, redone, ...changed }) => {
          const threshold = earlyThreshold({
            thresholds: ladder(autoCompactAt),
            settings: { ...defaultSettings, ...changed },
            cost,
            tokens,
            overhead,
            stretch: { startTokens, responses, redone, cleared: 0 },
          });
          expect(Number.isFinite(threshold)).toBe(true);
          expect(threshold).toBeLessThanOrEqual(autoCompactAt);
          const { compactEarlyShare, compactEarlyLeast } = changed;
          const least = Math.max(autoCompactAt * compactEarlyShare, compactEarlyLeast);
          expect(threshold).toBeGreaterThanOrEqual(Math.min(autoCompactAt, least));
        },
      ),
      { numRuns: 5000 },
    );
  });

  const sane = fc.record({
    cache: caches,
    tokens: fc.integer({ min: 60_000, max: 800_000 }),
    overhead: fc.nat({ max: 50_000 }),
    stretch: fc.record({
      startTokens: fc.option(fc.nat({ max: 60_000 }), { nil: undefined }),
      responses: fc.integer({ min: 5, max: 1000 }),
      redone: fc.nat({ max: 3 }),
      cleared: fc.constant(0),
    }),
  });

  it("faster growth, a dearer summary and more patience never make it earlier; a dearer read never later", () => {
    fc.assert(
      fc.property(sane, fc.double({ min: 1, max: 20, noNaN: true }), (given, factor) => {
        const threshold = earlyThreshold(facts(given));
        const { stretch, cache } = given;
        const faster = { ...stretch, responses: Math.max(5, Math.floor(stretch.responses / factor)) };
        expect(earlyThreshold(facts({ ...given, stretch: faster }))).toBeGreaterThanOrEqual(threshold);
        const wordy = { ...prices, output: prices.output * factor };
        expect(earlyThreshold(facts({ ...given, prices: wordy }))).toBeGreaterThanOrEqual(threshold);
        const redone = { ...stretch, redone: stretch.redone + Math.ceil(factor) };
        expect(earlyThreshold(facts({ ...given, stretch: redone }))).toBeGreaterThanOrEqual(threshold);
        const patient = { ...bare, compactEarlyPatience: factor };
        expect(earlyThreshold(facts({ ...given, settings: patient }))).toBeGreaterThanOrEqual(threshold);
        const dear =
          cache.state === "off"
            ? { ...prices, input: prices.input * factor }
            : { ...prices, cacheRead: prices.cacheRead * factor };
        expect(earlyThreshold(facts({ ...given, prices: dear }))).toBeLessThanOrEqual(threshold);
      }),
      { numRuns: 2000 },
    );
  });

  it("right behind a compaction there is room again, so that no compaction follows at once", () => {
    const model = findModel("claude-opus-5");
    if (model === undefined) throw new Error("a model of the table");
    const thresholds = thresholdsFor(model, defaultSettings);
    fc.assert(
      fc.property(
        caches,
        fc.nat({ max: 100_000 }),
        fc.nat({ max: 40_000 }),
        (cache, startTokens, overhead) => {
          const threshold = earlyThreshold({
            thresholds,
            settings: defaultSettings,
            cost: { prices: model.prices, cache },
            tokens: startTokens,
            overhead,
            stretch: { startTokens, responses: 0, redone: 0, cleared: 0 },
          });
          expect(threshold - startTokens).toBeGreaterThan(5000);
        },
      ),
    );
  });
});

describe("what a compaction keeps of the newest rounds", () => {
  const kept = (redone: number, keepRecentTokens = 0, keepRedoneTokens = 20_000): number =>
    keptTokens(
      { keepRecentTokens, keepRedoneTokens },
      { startTokens: undefined, responses: 9, redone, cleared: 0 },
    );

  it("grows with the calls beyond two that had to be made again, up to four more", () => {
    expect([0, 2, 3, 4.5, 6, 400].map((redone) => kept(redone))).toEqual([
      0, 0, 5000, 12_500, 20_000, 20_000,
    ]);
    expect(kept(400, 0, 0)).toBe(0);
  });

  it("is never less than the setting says", () => {
    expect([kept(0, 10_000), kept(3, 10_000), kept(6, 10_000)]).toEqual([10_000, 10_000, 20_000]);
  });
});
