import { findModel } from "@palimpsest/core";
import { createDefaultEstimator } from "@palimpsest/core/engine";
import { describe, expect, it } from "vitest";
import { textTokens } from "../../simulator/tokens/block-tokens.js";
import { createBpeCounter } from "../../simulator/tokens/bpe-counter.js";
import { textKinds } from "./text-kinds.js";

describe("kinds of text", () => {
  it("are many, and the same for the same seed", () => {
    expect(textKinds.length).toBeGreaterThanOrEqual(40);
    for (const { make } of textKinds) {
      expect(make(500, 3)).toBe(make(500, 3));
      expect(make(500, 3)).not.toBe(make(500, 4));
      expect(make(5000, 1).length).toBeGreaterThanOrEqual(5000);
    }
  });

  const counter = createBpeCounter();
  it.each(["claude-opus-5", "claude-haiku-4-5"])(
    "at first sight %s has none of them under- or overestimated by more than twice",
    (id) => {
      const model = findModel(id);
      if (model === undefined) throw new Error(`${id} is not in the table`);
      const estimator = createDefaultEstimator({ model: id });
      const wrong = textKinds.flatMap(({ name, make }) =>
        [11, 12, 13].flatMap((seed) => {
          const text = make(6000, seed);
          const ratio = estimator.block(text) / textTokens(text, model, counter);
          return ratio > 0.5 && ratio < 2 ? [] : [`${name}: ${ratio.toFixed(2)}`];
        }),
      );
      expect(wrong).toEqual([]);
    },
  );

  it("a map of 140 by 140 fields is estimated at what it is", () => {
    const map = textKinds.find(({ name }) => name === "map")?.make(19_700, 1) ?? "";
    const estimate = createDefaultEstimator({ model: "claude-opus-5" }).block(map);
    expect(estimate).toBeGreaterThan(8000);
    expect(estimate).toBeLessThan(20_000);
  });
});
