import { accountOf, type Message } from "@palimpsest/core";
import { addCall } from "@palimpsest/core/engine";
import { expect, it } from "vitest";
import { eventLine, messageLine, summaryDocument } from "./stream-lines.js";

const base = {
  uuid: "u1",
  parentUuid: null,
  timestamp: "2026-11-15T10:00:00.000Z",
  sessionId: "s",
  isSidechain: false,
};

it("shows messages as programs of this ecosystem know them", () => {
  const said: Message = { ...base, type: "user", message: { role: "user", content: "Hi." } };
  expect(messageLine(said, "s")).toEqual({
    type: "user",
    message: { role: "user", content: "Hi." },
    session_id: "s",
    uuid: "u1",
    parent_tool_use_id: null,
  });
  const boundary = {
    ...base,
    type: "system",
    subtype: "compact_boundary",
    content: "Conversation compacted",
    compactMetadata: { trigger: "auto", preTokens: 10 },
  } as Message;
  expect(messageLine(boundary, "s")).toMatchObject({
    type: "system",
    subtype: "compact_boundary",
    compact_metadata: { trigger: "auto", preTokens: 10 },
  });
  const attachment: Message = { ...base, type: "attachment", attachment: { type: "plan_mode" } };
  expect(messageLine(attachment, "s")).toMatchObject({
    type: "attachment",
    attachment: { type: "plan_mode" },
  });
});

it("keeps who wrote a message and whom it is shown to, where the transcript says so", () => {
  const message = { role: "user", content: "All that came before." } as const;
  const flags = { isMeta: true, isCompactSummary: true, isVisibleInTranscriptOnly: true } as const;
  const summary: Message = { ...base, type: "user", message, ...flags };
  expect(messageLine(summary, "s")).toMatchObject(flags);
  const plain: Message = { ...base, type: "user", message, isMeta: false };
  expect(Object.keys(messageLine(plain, "s") ?? {}).filter((name) => name.startsWith("is"))).toEqual([]);
});

it("tells retries, steps and notices, and leaves out what is of the moment", () => {
  const failure = { kind: "overloaded", message: "key sk-1", retryable: true } as never;
  expect(eventLine({ kind: "retry", attempt: 1, waitMs: 5, failure }, "s")).toEqual({
    type: "system",
    subtype: "retry",
    attempt: 1,
    wait_ms: 5,
    error: "overloaded",
    session_id: "s",
  });
  expect(eventLine({ kind: "notice", text: "Mind." }, "s")).toMatchObject({
    subtype: "notice",
    text: "Mind.",
  });
  expect(eventLine({ kind: "text", text: "a" }, "s")).toBeUndefined();
  expect(eventLine({ kind: "tool-start", id: "1", name: "Read", input: {} }, "s")).toBeUndefined();
});

const usage = {
  input_tokens: 100_000,
  output_tokens: 10_000,
  cache_read_input_tokens: 30,
  cache_creation_input_tokens: 40,
  cache_creation: { ephemeral_5m_input_tokens: 15, ephemeral_1h_input_tokens: 25 },
};
/** At 5 dollars for a million tokens, reads at a tenth, writes at 1.25 and 2, output at 5. */
const dollars = (100_000 * 5 + 10_000 * 25 + 30 * 0.5 + 15 * 6.25 + 25 * 10) / 1_000_000;
const summary = {
  sessionId: "s",
  provider: "anthropic",
  account: accountOf([
    { source: "sdk", model: "claude-opus-4-5-20251101", usage },
    { source: "compact", model: "somebody-else-1", usage: { input_tokens: 7, output_tokens: 1 } },
    {
      source: "sdk",
      model: "claude-opus-4-5",
      usage: { input_tokens: 10, output_tokens: 0 },
      estimated: "all",
    },
  ]),
  begun: accountOf([]),
  steps: { full: 1, notes: 1, cached: 4 },
  denials: [{ id: "toolu_1", name: "Bash", input: { command: "rm" } }],
  milliseconds: 7,
};

it("says what a run came to, under the names that others use and our own", () => {
  expect(summaryDocument({ ...summary, result: { reason: "done", text: "Done.", turns: 3 } })).toEqual({
    type: "result",
    provider: "anthropic",
    subtype: "success",
    is_error: false,
    result: "Done.",
    stop_reason: null,
    sessionId: "s",
    session_id: "s",
    turns: 3,
    num_turns: 3,
    usage: {
      inputTokens: 100_017,
      outputTokens: 10_001,
      cacheReadTokens: 30,
      cacheWriteTokens: 40,
      calls: 3,
      unpricedCalls: 1,
      estimatedCalls: 1,
      input_tokens: 100_017,
      output_tokens: 10_001,
      cache_read_input_tokens: 30,
      cache_creation_input_tokens: 40,
      cache_creation: { ephemeral_5m_input_tokens: 15, ephemeral_1h_input_tokens: 25 },
    },
    cost: expect.closeTo(dollars + 0.000_05, 12),
    total_cost_usd: expect.closeTo(dollars + 0.000_05, 12),
    run_cost_usd: expect.closeTo(dollars + 0.000_05, 12),
    estimated_cost_usd: expect.closeTo(0.000_05, 12),
    modelUsage: {
      "claude-opus-4-5": {
        inputTokens: 100_010,
        outputTokens: 10_000,
        cacheReadInputTokens: 30,
        cacheCreationInputTokens: 40,
        calls: 2,
        estimatedCalls: 1,
        costUSD: expect.closeTo(dollars + 0.000_05, 12),
        contextWindow: 200_000,
        maxOutputTokens: 64_000,
      },
      "somebody-else-1": {
        inputTokens: 7,
        outputTokens: 1,
        cacheReadInputTokens: 0,
        cacheCreationInputTokens: 0,
        calls: 1,
        estimatedCalls: 0,
        costUSD: null,
      },
    },
    account: [
      expect.objectContaining({ model: "claude-opus-4-5", source: "sdk", calls: 2, estimatedCalls: 1 }),
      expect.objectContaining({ model: "somebody-else-1", source: "compact", calls: 1, costUSD: null }),
    ],
    compactions: 2,
    steps: summary.steps,
    permission_denials: [{ tool_name: "Bash", tool_use_id: "toolu_1", tool_input: { command: "rm" } }],
    duration_ms: 7,
  });
});

it.each([
  ["max-turns", "error_max_turns"],
  ["aborted", "error_aborted"],
  ["stopped", "error_stopped"],
  ["held", "error_held"],
  ["failed", "error_failed"],
] as const)("%s is an error", (reason, subtype) => {
  const document = summaryDocument({ ...summary, result: { reason, text: "Why.", turns: 0 } });
  expect(document).toMatchObject({ subtype, is_error: true, result: "Why." });
});

it("says of a resumed conversation what it has cost in all, and what the run has used", () => {
  const begun = accountOf([{ source: "sdk", model: "claude-opus-4-5", usage }]);
  const more = { source: "sdk", model: "claude-opus-4-5", usage: { input_tokens: 10, output_tokens: 2 } };
  const account = addCall(begun, more);
  const result = { reason: "done", text: "Done.", turns: 1 } as const;
  expect(summaryDocument({ ...summary, account, begun, result })).toMatchObject({
    usage: { calls: 1, input_tokens: 10, output_tokens: 2, cache_read_input_tokens: 0 },
    total_cost_usd: expect.closeTo(dollars + 0.0001, 12),
    run_cost_usd: expect.closeTo(0.0001, 12),
    modelUsage: { "claude-opus-4-5": { calls: 2, inputTokens: 100_010 } },
  });
});
