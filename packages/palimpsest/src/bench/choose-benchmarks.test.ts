import { describe, expect, it } from "vitest";
import { benchmarks } from "./benchmarks.js";
import { chooseBenchmarks } from "./choose-benchmarks.js";

const all = ["normalise", "estimate.speed", "estimate.error", "replay"].map((name) => ({ name }));
const chosen = (...prefixes: readonly string[]): unknown => {
  const choice = chooseBenchmarks(all, prefixes);
  return choice.kind === "chosen" ? choice.benchmarks.map(({ name }) => name) : choice;
};

describe("chooseBenchmarks", () => {
  it("takes all where nothing is asked for", () => {
    expect(chooseBenchmarks(all, undefined)).toEqual({ kind: "chosen", benchmarks: all });
  });

  it("takes those whose figures may begin so, in their own order and once", () => {
    expect(chosen("normalise")).toEqual(["normalise"]);
    expect(chosen("norm")).toEqual(["normalise"]);
    expect(chosen("normalise.round.100")).toEqual(["normalise"]);
    expect(chosen("estimate")).toEqual(["estimate.speed", "estimate.error"]);
    expect(chosen("replay", "normalise", "normalise.round")).toEqual(["normalise", "replay"]);
  });

  it("names the first prefix that no figure can have", () => {
    expect(chosen("nope")).toEqual({ kind: "unknown", prefix: "nope" });
    expect(chosen("normalise", "normaliser")).toEqual({ kind: "unknown", prefix: "normaliser" });
    expect(chosen("")).toEqual({ kind: "unknown", prefix: "" });
    expect(chosen("replay", "")).toEqual({ kind: "unknown", prefix: "" });
  });
});

describe("benchmarks", () => {
  it("have names of which none is within another, so that a figure belongs to one", () => {
    const names = benchmarks.map(({ name }) => name);
    for (const name of names) {
      expect(name).toMatch(/^[a-z]+(?:\.[a-z]+)*$/);
      expect(names.filter((other) => `${other}.`.startsWith(`${name}.`))).toEqual([name]);
    }
  });
});
