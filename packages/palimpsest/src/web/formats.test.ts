import { describe, expect, it } from "vitest";
import { formats } from "./formats.js";

describe("formats", () => {
  it("say figures the way people do", () => {
    expect([0, 940, 21_400, 999_400, 999_700, 1_250_000].map(formats.tokens)).toEqual([
      "0",
      "940",
      "21.4k",
      "999k",
      "1M",
      "1.25M",
    ]);
    expect([0, 0.00001, 0.0042, 0.0848, 1.5, 12_345, -0.25].map(formats.dollars)).toEqual([
      "$0",
      "<$0.0001",
      "$0.0042",
      "$0.0848",
      "$1.50",
      "$12,345",
      "−$0.25",
    ]);
    expect(formats.count(41_151)).toBe("41,151");
    expect(formats.ratio(1.234)).toBe("1.23×");
    expect([800, 5_300, 1_234_567, 2e9].map(formats.bytes)).toEqual(["800 B", "5.3 kB", "1.23 MB", "2 GB"]);
    expect([42_000, 125_000, 1_800_000, 7_500_000, 400_000_000].map(formats.duration)).toEqual([
      "42 s",
      "2 min 5 s",
      "30 min",
      "2 h 5 min",
      "5 days",
    ]);
  });

  it("say a dash where there is no number", () => {
    for (const format of Object.values(formats)) {
      expect([null, undefined, Number.NaN, Infinity].map((value) => format(value))).toEqual([
        "–",
        "–",
        "–",
        "–",
      ]);
    }
  });

  it("never round a share to all or to nothing", () => {
    expect([1, 0.99999, 0.5, 0.00001, 0].map(formats.share)).toEqual([
      "100%",
      "99.9%",
      "50.0%",
      "<0.1%",
      "0%",
    ]);
  });
});
