import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeChatResponse } from "./response.js";

const usage = { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 };
const answer = (message: unknown, finish_reason: unknown = "stop"): unknown => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "gpt-5",
  choices: [{ index: 0, message, finish_reason }],
  usage,
});
const call = (id: unknown, name: unknown, args: unknown): unknown => ({
  id,
  type: "function",
  function: { name, arguments: args },
});

const messageOf = (body: unknown) => {
  const decoded = decodeChatResponse(body);
  if (decoded.kind !== "message") throw new Error(JSON.stringify(decoded));
  return decoded.message;
};

describe("decodeChatResponse", () => {
  it("reads an answer", () => {
    expect(decodeChatResponse(answer({ role: "assistant", content: "hello", refusal: null }))).toEqual({
      kind: "message",
      message: {
        id: "chatcmpl-1",
        type: "message",
        role: "assistant",
        model: "gpt-5",
        content: [{ type: "text", text: "hello" }],
        stop_reason: "end_turn",
        stop_sequence: null,
        usage: { input_tokens: 10, output_tokens: 3 },
      },
      malformedInputs: [],
    });
  });

  it("reads reasoning, text and calls, in this order", () => {
    const message = {
      content: "I look",
      reasoning_content: "hm",
      tool_calls: [call("t1", "read", '{"path":"a"}'), call("t2", "list", "")],
    };
    expect(messageOf(answer(message, "tool_calls"))).toMatchObject({
      content: [
        { type: "thinking", thinking: "hm", signature: "" },
        { type: "text", text: "I look" },
        { type: "tool_use", id: "t1", name: "read", input: { path: "a" } },
        { type: "tool_use", id: "t2", name: "list", input: {} },
      ],
      stop_reason: "tool_use",
    });
    expect(messageOf(answer({ content: null, reasoning: "hm" })).content).toMatchObject([{ thinking: "hm" }]);
    const parts = [
      {
        type: "thinking",
        thinking: [
          { type: "text", text: "h" },
          { type: "text", text: "m" },
        ],
      },
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ];
    expect(messageOf(answer({ content: parts })).content).toEqual([
      { type: "thinking", thinking: "hm", signature: "" },
      { type: "text", text: "ab" },
    ]);
  });

  it.each([
    ["stop", "end_turn"],
    ["length", "max_tokens"],
    ["content_filter", "refusal"],
    ["tool_calls", "end_turn"],
    ["model_length", "model_context_window_exceeded"],
    ["eos", "end_turn"],
    [null, "end_turn"],
    ["", "end_turn"],
    ["constructor", "end_turn"],
  ])("takes %j for %s", (finish, reason) => {
    expect(messageOf(answer({ content: "a" }, finish)).stop_reason).toBe(reason);
  });

  it.each(["stop", "tool_calls", "function_call", null])("calls behind %j are calls", (finish) => {
    const message = { tool_calls: [call("t", "read", "{}")] };
    expect(messageOf(answer(message, finish)).stop_reason).toBe("tool_use");
    expect(messageOf(answer(message, "length")).stop_reason).toBe("max_tokens");
  });

  it("reads a refusal", () => {
    expect(messageOf(answer({ content: null, refusal: "I will not" }))).toMatchObject({
      content: [{ type: "text", text: "I will not" }],
      stop_reason: "refusal",
    });
  });

  it("reads the old form of a call, and arguments that are an object", () => {
    const old = answer({ function_call: { name: "read", arguments: '{"a":1}' } }, "function_call");
    expect(messageOf(old).content).toMatchObject([{ name: "read", input: { a: 1 } }]);
    const object = answer({ tool_calls: [call("t", "read", { a: 1 })] });
    expect(messageOf(object).content).toMatchObject([{ name: "read", input: { a: 1 } }]);
  });

  it.each(['{"path":"a', "[1]", "7", "nonsense", '"{}"'])("keeps a call whose input is %s", (input) => {
    const decoded = decodeChatResponse(answer({ content: "a", tool_calls: [call("t", "read", input)] }));
    expect(decoded).toMatchObject({
      kind: "message",
      message: { content: [{ type: "text" }, { type: "tool_use", id: "t", name: "read", input: {} }] },
      malformedInputs: [{ index: 1, input }],
    });
  });

  it("makes ids where there are none, or the same ones: stable, and different for every response", () => {
    const calls = {
      tool_calls: [call("", "a", "{}"), call("x", "b", "{}"), call("x", "c", "{}"), call(7, "d", "{}")],
    };
    const ids = (body: unknown): readonly unknown[] =>
      messageOf(body).content.map((block) => (block.type === "tool_use" ? block.id : undefined));
    const first = ids(answer(calls));
    expect(new Set(first).size).toBe(4);
    expect(first[1]).toBe("x");
    expect(first[3]).toBe("7");
    expect(first[0]).toMatch(/^[a-zA-Z0-9_-]{1,40}$/);
    expect(ids(answer(calls))).toEqual(first);
    expect(ids({ ...(answer(calls) as object), id: "chatcmpl-2" })[0]).not.toBe(first[0]);
  });

  it("takes id and model from its options where the server leaves them out", () => {
    const body = { choices: [{ message: { content: "a" } }] };
    expect(decodeChatResponse(body, { responseId: "r", model: "m" })).toMatchObject({
      message: { id: "r", model: "m", usage: { input_tokens: 0, output_tokens: 0 } },
    });
    expect(decodeChatResponse({ ...body, id: "", model: null })).toMatchObject({
      message: { id: "", model: "" },
    });
  });

  it.each([
    { error: { message: "oh" } },
    { error: "oh" },
    [{ error: { message: "oh" } }],
    { object: "error", message: "oh" },
    answer({ content: "a" }, "error"),
  ])("knows an error: %j", (body) => {
    expect(decodeChatResponse(body)).toEqual({ kind: "error-body", body });
  });

  it.each([
    [null, ""],
    ["<html>", ""],
    [{}, "choices"],
    [{ choices: [] }, "choices.0"],
    [{ choices: [{ delta: {} }] }, "choices.0.message"],
    [answer({ content: 7 }), "choices.0.message.content"],
    [answer({ tool_calls: {} }), "choices.0.message.tool_calls"],
    [answer({ tool_calls: [7] }), "choices.0.message.tool_calls.0"],
    [answer({ tool_calls: [call("t", "read", 7)] }), "choices.0.message.tool_calls.0.function"],
    [answer({ tool_calls: [call("t", "", "{}")] }), "choices.0.message.tool_calls.0.function.name"],
    [answer({ function_call: { name: "a", arguments: [] } }), "choices.0.message.function_call"],
  ])("says what is wrong with %j", (body, path) => {
    expect(decodeChatResponse(body)).toMatchObject({ kind: "malformed", path });
  });

  it("never throws", () => {
    const loose = fc.anything({ withBigInt: true, withDate: true });
    const message = fc.dictionary(
      fc.constantFrom("content", "tool_calls", "function_call", "reasoning", "refusal"),
      fc.oneof(
        loose,
        fc.array(
          fc.record({ id: loose, function: fc.oneof(loose, fc.record({ name: loose, arguments: loose })) }),
        ),
      ),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          loose,
          message.map((value) => answer(value)),
        ),
        (body) => {
          expect(["message", "error-body", "malformed"]).toContain(decodeChatResponse(body).kind);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
