import { expect, it } from "vitest";
import { createUserMessage } from "../../../messages/construct.js";
import { defaultSettings } from "../../settings/settings.js";
import type { CompactRun } from "../run/compact-run.js";
import { pricesWithoutSharing } from "./fork-price.js";

const origin = { clock: { now: () => 0 }, ids: { next: () => "u" }, sessionId: "s", parentUuid: null };

/** 150,000 tokens of messages after 20,000 of system prompt and tools. */
function runOf(model: string, compactModel?: string): CompactRun {
  const live = [createUserMessage(origin, { content: "everything" })];
  return {
    input: {
      live,
      model,
      size: { tokensBefore: 170_000, overhead: 20_000, autoCompactAt: 167_000 },
      params: { writes: [{ position: { message: 0, block: 0 }, ttl: "5m", usedAt: 0 }] },
    },
    ports: {
      estimator: { message: () => 150_000 },
      settings: { ...defaultSettings, compactModel },
      clock: { now: () => 1000 },
    },
    division: { variant: "full", summarised: live, kept: [] },
  } as unknown as CompactRun;
}

it("says what docs/compaction.md says that a summary costs without the conversation's cache", () => {
  const cents = (model: string, compactModel?: string) => {
    const prices = pricesWithoutSharing(runOf(model, compactModel));
    return prices && [Math.round(prices.fork * 100), Math.round(prices.apart * 100)];
  };
  expect(cents("claude-opus-5")).toEqual([85, 84]);
  expect(cents("claude-opus-5", "claude-haiku-4-5")).toEqual([85, 17]);
  // A dearer model for summaries than the conversation's own.
  expect(cents("claude-sonnet-5", "claude-fable-5")).toEqual([34, 168]);
  expect(cents("a model that nobody knows")).toBeUndefined();
});
