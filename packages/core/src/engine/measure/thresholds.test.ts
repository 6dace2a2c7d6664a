import { describe, expect, it } from "vitest";
import { findModel } from "../../models/table.js";
import { defaultSettings, resolveSettings, type Settings } from "../settings/settings.js";
import { isBlocked, percentLeft, pressureOf, thresholdsFor } from "./thresholds.js";

const haiku = findModel("claude-haiku-4-5");
if (haiku === undefined) throw new Error("the table has no claude-haiku-4-5");
const ladder = (change: Partial<Settings> = {}) => thresholdsFor(haiku, { ...defaultSettings, ...change });

describe("the ladder of a 200K window", () => {
  it("by default", () => {
    expect(ladder()).toEqual({
      contextWindow: 200_000,
      effectiveWindow: 180_000,
      autoCompactAt: 167_000,
      hardAt: 180_000,
      limit: 167_000,
      warnAt: 147_000,
      errorAt: 157_000,
      isAutoCompactOn: true,
    });
  });

  it("with auto-compact off it counts down to the effective window, and blocks there", () => {
    for (const change of [
      { autoCompactEnabled: false },
      { disableAutoCompact: true },
      { disableCompact: true },
    ]) {
      const thresholds = ladder(change);
      expect(thresholds).toMatchObject({ limit: 180_000, warnAt: 160_000, isAutoCompactOn: false });
      expect(isBlocked(thresholds, 180_000, "repl_main_thread")).toBe(true);
      expect(isBlocked(thresholds, 179_999, "repl_main_thread")).toBe(false);
      expect(isBlocked(thresholds, 180_000, "compact")).toBe(false);
      expect(isBlocked(thresholds, 180_000, "session_memory")).toBe(false);
    }
    expect(isBlocked(ladder(), 190_000, "repl_main_thread")).toBe(false);
  });

  it.each([
    [50, 90_000],
    [12.5, 22_500],
    [33.333, 59_999],
    [100, 167_000],
    [undefined, 167_000],
  ])("percentage override %s", (autoCompactPercent, expected) => {
    expect(ladder({ autoCompactPercent }).autoCompactAt).toBe(expected);
  });

  it("another window, and models that reserve their whole output", () => {
    expect(ladder({ window: 100_000 })).toMatchObject({ effectiveWindow: 80_000, autoCompactAt: 67_000 });
    expect(ladder({ window: 50_000 })).toMatchObject({ effectiveWindow: 37_500, autoCompactAt: 30_000 });
    expect(ladder({ window: 10_000 })).toMatchObject({
      effectiveWindow: 7500,
      autoCompactAt: 6000,
      warnAt: 5280,
      errorAt: 5640,
    });
    const refusing = { ...haiku, capabilities: { ...haiku.capabilities, refusesInputPlusMaxTokens: true } };
    expect(thresholdsFor(refusing, defaultSettings).effectiveWindow).toBe(136_000);
    expect(thresholdsFor(refusing, { ...defaultSettings, window: 32_000 })).toMatchObject({
      effectiveWindow: 16_000,
      autoCompactAt: 8000,
    });
  });

  it("percent left and the rungs", () => {
    const thresholds = ladder();
    expect(percentLeft(thresholds, 0)).toBe(100);
    expect(percentLeft(thresholds, 83_500)).toBe(50);
    expect(percentLeft(thresholds, 999_999)).toBe(0);
    expect(percentLeft({ limit: 0 }, 5)).toBe(0);
    const rungs = [146_999, 147_000, 157_000, 167_000, 180_000].map((used) => pressureOf(thresholds, used));
    expect(rungs).toEqual(["none", "warn", "error", "compact", "hard"]);
  });

  it("knows system prompt and tools: what a small window leaves beside them is shared out", () => {
    const beside = (window: number, head: number) =>
      thresholdsFor(haiku, { ...defaultSettings, window }, head);
    expect(beside(40_000, 27_000)).toMatchObject({ effectiveWindow: 36_750, autoCompactAt: 34_800 });
    expect(beside(200_000, 30_000)).toEqual(ladder());
    for (const head of [0, 10_000, 20_000, 30_000, 39_000]) {
      const { autoCompactAt, hardAt, warnAt, errorAt, contextWindow } = beside(40_000, head);
      expect([head, warnAt, errorAt, autoCompactAt, hardAt, contextWindow].toSorted((a, b) => a - b)).toEqual(
        head > warnAt
          ? expect.arrayContaining([head, hardAt])
          : [head, warnAt, errorAt, autoCompactAt, hardAt, contextWindow],
      );
      expect(autoCompactAt).toBeGreaterThan(head);
    }
  });
});

describe("settings", () => {
  it("given over environment over files over defaults", () => {
    const files = [
      { name: "project", content: { reserve: 30_000, warnBuffer: 1 } },
      { name: "user", content: { reserve: 40_000, errorBuffer: 2 } },
    ];
    const env = { PALIMPSEST_WARN_BUFFER: "5000" };
    const { settings, problems } = resolveSettings({ given: { autoCompactBuffer: 7 }, env, files });
    expect(settings).toMatchObject({
      autoCompactBuffer: 7,
      warnBuffer: 5000,
      reserve: 30_000,
      errorBuffer: 2,
    });
    expect(problems).toEqual([]);
  });

  it("what a caller gives is checked like everything else", () => {
    const given = { reserve: "abc", autoCompactPercent: 500 } as unknown as Partial<Settings>;
    const { settings, problems } = resolveSettings({ given, env: { PALIMPSEST_WINDOW: "0" } });
    expect(settings).toMatchObject({ reserve: 20_000, autoCompactPercent: undefined, window: undefined });
    expect(problems.map(({ source }) => source).toSorted()).toEqual([
      "PALIMPSEST_WINDOW",
      "given autoCompactPercent",
      "given reserve",
    ]);
  });

  it("both forms of the switches are read", () => {
    for (const name of ["DISABLE_COMPACT", "PALIMPSEST_DISABLE_COMPACT"]) {
      expect(resolveSettings({ env: { [name]: "1" } }).settings.disableCompact).toBe(true);
    }
    for (const name of ["DISABLE_MICROCOMPACT", "PALIMPSEST_DISABLE_CLEARING"]) {
      expect(resolveSettings({ env: { [name]: "true" } }).settings.disableClearing).toBe(true);
    }
    const both = { PALIMPSEST_AUTOCOMPACT_PCT: "40", CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: "90" };
    expect(resolveSettings({ env: both }).settings.autoCompactPercent).toBe(40);
  });

  it.each(["0", "-5", "101", "abc", "", "NaN", "Infinity"])(
    "a bad percentage (%s) is passed over and told",
    (value) => {
      const { settings, problems } = resolveSettings({ env: { PALIMPSEST_AUTOCOMPACT_PCT: value } });
      expect(settings.autoCompactPercent).toBeUndefined();
      expect(problems).toMatchObject([
        { name: "autoCompactPercent", source: "PALIMPSEST_AUTOCOMPACT_PCT", value },
      ]);
    },
  );

  it("a bad value in a file is told with file and key, and the next source is asked", () => {
    const files = [
      { name: "project.json", content: { reserve: "lots" } },
      { name: "user.json", content: { reserve: 25_000 } },
    ];
    const { settings, problems } = resolveSettings({ files });
    expect(settings.reserve).toBe(25_000);
    expect(problems).toMatchObject([
      { source: "project.json: reserve", allowed: "a whole number, 0 or more" },
    ]);
  });
});
