import { expect, it } from "vitest";
import { createRandom } from "../bench/random.js";

it("numbers are the same for the same seed, others for another, and within their limits", () => {
  const draw = (seed: number): readonly number[] => {
    const random = createRandom(seed);
    return Array.from({ length: 1000 }, () => random.below(6));
  };
  expect(draw(1)).toEqual(draw(1));
  expect(draw(2 ** 32 + 1)).toEqual(draw(1));
  expect(draw(2)).not.toEqual(draw(1));
  for (const seed of [0, 1, 2 ** 32 - 1]) {
    for (let side = 0; side < 6; side += 1) {
      const times = draw(seed).filter((drawn) => drawn === side).length;
      expect(times).toBeGreaterThan(100);
      expect(times).toBeLessThan(250);
    }
  }
  expect(() => createRandom(1).pick([])).toThrow(RangeError);
});
