import { expect, it } from "vitest";
import { afterFailure, closedBreaker, isOpen } from "./breaker.js";

const settings = { breakerFailures: 3, breakerCooldownMs: 600_000 };

it("opens after three failures in a row, lets one through after the cooldown, and doubles it", () => {
  const two = afterFailure(afterFailure(closedBreaker, settings, 0), settings, 1);
  expect(isOpen(two, 2)).toBe(false);
  const three = afterFailure(two, settings, 1000);
  expect(isOpen(three, 1000)).toBe(true);
  expect(isOpen(three, 600_999)).toBe(true);
  expect(isOpen(three, 601_000)).toBe(false);
  const four = afterFailure(three, settings, 601_000);
  expect(isOpen(four, 601_000 + 1_199_999)).toBe(true);
  expect(isOpen(four, 601_000 + 1_200_000)).toBe(false);
  expect(isOpen(closedBreaker, 0)).toBe(false);
});
