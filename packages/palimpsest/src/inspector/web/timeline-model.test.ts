import { expect, it } from "vitest";
import type { Timeline } from "../contract.js";
import { settleRange, sizeText } from "./timeline-model.js";

it("a stretch is of whole requests, inside the conversation, and never of less than five", () => {
  expect(settleRange([10.2, 40.7], 100)).toEqual([10, 41]);
  expect(settleRange([40.7, 10.2], 100)).toEqual([10, 41]);
  expect(settleRange([-50, 30], 100)).toEqual([0, 30]);
  expect(settleRange([50.2, 50.3], 100)).toEqual([49, 54]);
  expect(settleRange([99.9, 100], 100)).toEqual([95, 100]);
  expect(settleRange([0, 0.1], 100)).toEqual([0, 5]);
});

it("all of it is no stretch", () => {
  expect(settleRange([-Infinity, Infinity], 100)).toBeNull();
  expect(settleRange([0, 100], 100)).toBeNull();
  expect(settleRange([1, 2], 3)).toBeNull();
  expect(settleRange([0, 0], 0)).toBeNull();
});

it("a size that no usage tells is called an estimate", () => {
  const none = [0, 0];
  const timeline = {
    kinds: {
      system: none,
      tools: none,
      people: [20, 30],
      assistant: none,
      results: none,
      attachments: none,
      unknown: [1000, 0],
    },
    read: [1000, 0],
    written: none,
    uncached: [20, 0],
  } as Partial<Timeline> as Timeline;
  expect([0, 1].map((column) => sizeText(timeline, column))).toEqual(["1,020", "≈30"]);
});
