import { describe, expect, it } from "vitest";
import type { ApiFailure } from "../../messages/call/failure.js";
import type { ModelResponse } from "../../messages/call/response.js";
import { judgeAnswer, judgeFailure } from "./judge-answer.js";

const answer = (content: readonly object[], stopReason = "end_turn"): ModelResponse =>
  ({
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-opus-5",
    content,
    stop_reason: stopReason,
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  }) as unknown as ModelResponse;
const text = (value: string) => ({ type: "text", text: value });

describe("an answer to the request for a summary", () => {
  it.each([
    ["no_summary", [], "end_turn"],
    ["no_summary", [text("  ")], "end_turn"],
    ["no_summary", [text("I cannot do that.")], "refusal"],
    [
      "tool_call",
      [text("<summary>x</summary>"), { type: "tool_use", id: "t", name: "Read", input: {} }],
      "tool_use",
    ],
    ["cut_off", [text("<summary>\nx")], "max_tokens"],
    ["cut_off", [text("<summary>x</summary>")], "model_context_window_exceeded"],
    ["unclosed_tags", [text("<summary>\nx")], "end_turn"],
    ["api_error", [text("API Error: 529 overloaded")], "end_turn"],
    ["api_error", [text('{"type":"error","error":{"type":"api_error"}}')], "end_turn"],
    ["prompt_too_long", [text("Prompt is too long")], "end_turn"],
  ])("%s", (reason, content, stopReason) => {
    expect(judgeAnswer(answer(content, stopReason))).toMatchObject({ kind: "rejected", reason });
  });

  it("with a summary in it is taken", () => {
    const content = [
      { type: "thinking", thinking: "", signature: "s" },
      text("<summary>\nAPI Error 529 was fixed.\n</summary>"),
    ];
    expect(judgeAnswer(answer(content))).toEqual({ kind: "written", summary: "API Error 529 was fixed." });
  });
});

describe("a call that failed", () => {
  const failure = (kind: ApiFailure["kind"], more: object = {}) =>
    judgeFailure({ kind, message: "because", retryable: false, ...more });
  it("is told apart by what can be done about it", () => {
    expect(failure("aborted")).toMatchObject({ reason: "aborted" });
    expect(failure("overloaded")).toMatchObject({ reason: "api_error", detail: "because" });
    expect(failure("context-overflow", { actualTokens: 210, maximumTokens: 200 })).toMatchObject({
      reason: "prompt_too_long",
      tooLong: { actualTokens: 210, maximumTokens: 200 },
    });
    expect(failure("request-too-large")).toMatchObject({ reason: "prompt_too_long", tooLong: {} });
  });
});
