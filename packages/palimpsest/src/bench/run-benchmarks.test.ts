import { describe, expect, it } from "vitest";
import type { Benchmark } from "./benchmark.js";
import type { Figure } from "./figure.js";
import { runBenchmarks } from "./run-benchmarks.js";

const figure = (name: string, value = 1): Figure => ({ name, value, unit: "ms" });
const benchmark = (name: string, ...figures: readonly Figure[]): Benchmark => ({
  name,
  needsRecordings: false,
  run: () => figures,
});
const context = { recordings: [], tell: () => {} };

async function namesOf(
  benchmarks: readonly Benchmark[],
  more: { readonly prefixes?: readonly string[] } = {},
): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { name } of runBenchmarks(benchmarks, { ...context, ...more })) names.push(name);
  return names;
}

describe("runBenchmarks", () => {
  it("gives figures in their order, each before the next is measured", async () => {
    const measured: string[] = [];
    const slow: Benchmark = {
      name: "slow",
      needsRecordings: false,
      async *run() {
        for (const name of ["slow.first", "slow.second"]) {
          measured.push(name);
          yield figure(name);
        }
      },
    };
    const running = runBenchmarks([slow], context);
    expect((await running.next()).value).toEqual(figure("slow.first"));
    expect(measured).toEqual(["slow.first"]);
    expect(await namesOf([benchmark("a", figure("a.x")), slow])).toEqual([
      "a.x",
      "slow.first",
      "slow.second",
    ]);
  });

  it("leaves out what does not begin as asked for", async () => {
    const some = benchmark("a", figure("a.x.median"), figure("a.y.median"));
    expect(await namesOf([some], { prefixes: ["a.y", "b"] })).toEqual(["a.y.median"]);
    expect(await namesOf([some], { prefixes: [] })).toEqual([]);
  });

  it("fails where a figure is not a number", async () => {
    for (const value of [Number.NaN, Infinity]) {
      await expect(namesOf([benchmark("a", figure("a.x", value))])).rejects.toThrow("a.x is not a number");
    }
  });
});
