import { expect, it } from "vitest";
import { isExtractionDue, type ExtractionFacts } from "./trigger.js";

const settings = {
  notesFirstTokens: 10_000,
  notesTokensBetweenUpdates: 5000,
  notesToolCallsBetweenUpdates: 3,
};

const first: ExtractionFacts = {
  tokens: 10_000,
  tokensAtLast: undefined,
  toolCallsSince: 3,
  hasTurnEnded: false,
  hasOpenCalls: false,
};
const later: ExtractionFacts = { ...first, tokens: 25_000, tokensAtLast: 20_000 };

it.each<[string, ExtractionFacts, boolean]>([
  ["the first time, from 10,000 tokens on", first, true],
  ["one token too few", { ...first, tokens: 9999 }, false],
  ["too few calls in the middle of a turn", { ...first, toolCallsSince: 2 }, false],
  ["few calls, and the turn has ended", { ...first, toolCallsSince: 0, hasTurnEnded: true }, true],
  ["a turn that ended early on", { ...first, tokens: 9999, hasTurnEnded: true }, false],
  ["a call without its result", { ...first, hasOpenCalls: true }, false],
  ["a call without its result, at the end", { ...first, hasOpenCalls: true, hasTurnEnded: true }, false],
  ["later, 5,000 more", later, true],
  ["later, 4,999 more", { ...later, tokens: 24_999 }, false],
  ["later, 5,000 more and two calls", { ...later, toolCallsSince: 2 }, false],
  ["later, 5,000 more and the end", { ...later, toolCallsSince: 0, hasTurnEnded: true }, true],
  ["many calls without growth", { ...later, tokens: 20_100, toolCallsSince: 50 }, false],
  ["a context that has shrunk", { ...later, tokens: 8000, toolCallsSince: 50 }, false],
  ["growth from a small context on", { ...later, tokens: 7000, tokensAtLast: 2000 }, true],
])("%s: %#", (_, facts, isDue) => {
  expect(isExtractionDue(facts, settings)).toBe(isDue);
});

it("with nothing demanded an update follows every whole round", () => {
  const none = { notesFirstTokens: 0, notesTokensBetweenUpdates: 0, notesToolCallsBetweenUpdates: 0 };
  expect(isExtractionDue({ ...later, tokens: 20_000, toolCallsSince: 0 }, none)).toBe(true);
});
