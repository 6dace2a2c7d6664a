import { describe, expect, it } from "vitest";
import { requestsSeen } from "./gap-evidence.js";
import { defaultSettings } from "../../settings/settings.js";
import type { RecordedRequest } from "./recorded-requests.js";
import { MINUTE } from "./testing/spaced-requests.js";
import { compareTtls } from "./ttl-comparison.js";

/** One unit of money a million tokens: a model that nobody knows. */
const request = (minutes: number, change: Partial<RecordedRequest> = {}): RecordedRequest => ({
  at: minutes * MINUTE,
  prefixTokens: 1_000_000,
  newTokens: 100_000,
  model: "unknown",
  followsCompaction: false,
  ...change,
});
const begin = request(0, { prefixTokens: 0, newTokens: 1_000_000 });
const keepAlive = { ...defaultSettings, cacheKeepAlive: true };

describe("lifetimes compared over a recording", () => {
  it("reads what is still there and writes the rest", () => {
    const { always, chosen, decisions, requests } = compareTtls([begin, request(10), request(100)]);
    expect(requests).toBe(3);
    expect(always["5m"]).toBeCloseTo(1.25 + 1.375 + 1.375);
    expect(always["1h"]).toBeCloseTo(2 + (0.1 + 0.2) + 2.2);
    expect(decisions).toEqual(["1h"]);
    expect(chosen).toBeCloseTo(always["1h"]);
  });

  it("follows the setting", () => {
    const recorded = [begin, request(10), request(100)];
    const { always } = compareTtls(recorded);
    expect(compareTtls(recorded, { cacheTtl: "5m" }).chosen).toBeCloseTo(always["5m"]);
    expect(compareTtls(recorded, { cacheTtl: "1h", source: "sdk" }).chosen).toBeCloseTo(always["1h"]);
    expect(compareTtls(recorded, { source: "sdk" }).decisions).toEqual(["5m"]);
  });

  it("counts what a change at a compaction costs", () => {
    const pauses = Array.from({ length: 30 }, (_, index) => request(10 * (index + 1)));
    const compacted = request(301, { prefixTokens: 200_000, newTokens: 100_000, followsCompaction: true });
    const before = compareTtls([begin, ...pauses], { source: "sdk" });
    const { decisions, chosen } = compareTtls([begin, ...pauses, compacted], { source: "sdk" });
    expect(decisions).toEqual(["5m", "1h"]);
    expect(chosen - before.chosen).toBeCloseTo(0.3 * 2);
  });

  it("pays for keep-alives, those behind the end too", () => {
    const recorded = [begin, request(8)];
    const { chosen, pings } = compareTtls(recorded, { cacheTtl: "5m", keepAlive });
    expect(pings).toBeGreaterThan(1);
    // one ping kept the prefix for the second request; the others went out after it, on 1.1 million tokens
    expect(chosen).toBeCloseTo(1.25 + 0.1 + (0.1 + 0.125) + (pings - 1) * 0.11);
    expect(compareTtls(recorded, { cacheTtl: "5m" }).pings).toBe(0);
  });

  it("of nothing is nothing", () => {
    expect(compareTtls([])).toMatchObject({
      requests: 0,
      always: { "5m": 0, "1h": 0 },
      chosen: 0,
      decisions: [],
    });
    expect(requestsSeen(compareTtls([begin]).evidence)).toBe(1);
  });
});
