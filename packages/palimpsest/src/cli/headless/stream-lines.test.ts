import type { Message } from "@palimpsest/core";
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

const summary = {
  sessionId: "s",
  usage: {
    inputTokens: 1,
    outputTokens: 2,
    cacheReadTokens: 3,
    cacheWriteTokens: 4,
    cost: 0.5,
    unpricedCalls: 0,
    calls: 1,
  },
  steps: { full: 1, notes: 1, cached: 4 },
  denials: [{ id: "toolu_1", name: "Bash", input: { command: "rm" } }],
  milliseconds: 7,
};

it("says what a run came to, under the names that others use and our own", () => {
  expect(summaryDocument({ ...summary, result: { reason: "done", text: "Done.", turns: 3 } })).toEqual({
    type: "result",
    subtype: "success",
    is_error: false,
    result: "Done.",
    sessionId: "s",
    session_id: "s",
    turns: 3,
    num_turns: 3,
    usage: expect.objectContaining({
      input_tokens: 1,
      output_tokens: 2,
      cache_read_input_tokens: 3,
      cache_creation_input_tokens: 4,
      calls: 1,
    }),
    cost: 0.5,
    total_cost_usd: 0.5,
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
