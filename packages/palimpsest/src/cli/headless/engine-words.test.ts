import type { EngineEvents } from "@palimpsest/core";
import { expect, it } from "vitest";
import { breakerSentence, earlySentence, failureSentence, progressSentence } from "./engine-words.js";

const usage = { input_tokens: 150_000, output_tokens: 13 };
const call = { source: "compact", model: "claude-opus-4-5", usage };
const failed: EngineEvents["compact_failed"] = {
  reason: "no_summary",
  message: "No summary was written.",
  trigger: "auto",
  source: "sdk",
  failedAttempts: [],
  calls: [call, call],
  price: { dollars: 1.5007, withoutCache: 1.5007, unpricedCalls: 0 },
};

it("says of a failed compaction what it cost, or why nobody was asked", () => {
  expect(failureSentence(failed)).toBe(
    "a compaction came to nothing (no_summary) after 2 calls to a model, $1.5007",
  );
  expect(failureSentence({ ...failed, calls: [{ ...call, model: "somebody-else-1" }] })).toBe(
    "a compaction came to nothing (no_summary) after 1 call to a model",
  );
  const blocked = { ...failed, reason: "blocked_by_hook", message: "A hook: not now.", calls: [] } as const;
  expect(failureSentence(blocked)).toBe("a compaction came to nothing: A hook: not now.");
});

it("says nothing of one that was called off, or of notes that were no good", () => {
  expect(failureSentence({ ...failed, reason: "aborted", calls: [] })).toBeUndefined();
  const attempt = { writer: "notes", reason: "above_threshold", detail: "too long" } as const;
  expect(failureSentence({ ...failed, calls: [], failedAttempts: [attempt] })).toBeUndefined();
});

it("says how far a compaction is", () => {
  const progress = {
    phase: "summarising",
    text: "Compacting conversation",
    milliseconds: 30_020,
    contextTokens: 171_234,
    summaryTokens: 1234,
    isSignOfLife: true,
  } as const;
  expect(progressSentence(progress)).toBe(
    "still compacting (Compacting conversation): 30 s, about 1,234 tokens of the summary",
  );
  expect(progressSentence({ ...progress, isSignOfLife: false })).toBe(
    "compacting the conversation (171,234 tokens)",
  );
});

it("names spans, counts and thresholds", () => {
  expect(breakerSentence({ failuresInARow: 3, reason: "cut_off", cooldownMs: 600_000 })).toBe(
    "automatic compaction stops for 10 minutes, after 3 failures in a row (cut_off)",
  );
  expect(earlySentence({ roundsSinceLast: 1, threshold: 167_000 })).toBe(
    "compacted again after 1 answer: what a compaction leaves is close to the threshold of 167,000 tokens",
  );
});
