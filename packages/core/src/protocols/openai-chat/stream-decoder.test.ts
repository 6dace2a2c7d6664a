import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { StreamOutput } from "../../messages/call/stream.js";
import type { AssistantBlock } from "../../messages/content.js";
import type { Fields } from "../../messages/fields.js";
import {
  CHAT_DONE,
  decodeChatEvent,
  endChatStream,
  startChatStream,
  stepChatStream,
  type ChatStreamState,
} from "./stream-decoder.js";

const head = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "gpt-5" };
const chunk = (delta: unknown, finish_reason: unknown = null, more: Fields = {}): unknown => ({
  ...head,
  choices: [{ index: 0, delta, finish_reason, ...more }],
});
const text = (content: string): unknown => chunk({ content });
const stop = chunk({}, "stop");
const usage = {
  ...head,
  choices: [],
  usage: { prompt_tokens: 10, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 4 } },
};
const calls = (...tool_calls: readonly unknown[]): unknown => chunk({ tool_calls });
const call = (index: unknown, id: unknown, name: unknown, args: unknown): unknown => ({
  ...(index === undefined ? {} : { index }),
  ...(id === undefined ? {} : { id }),
  type: "function",
  function: { ...(name === undefined ? {} : { name }), arguments: args },
});
const more = (index: unknown, args: string): unknown => call(index, undefined, undefined, args);

function play(...chunks: readonly unknown[]): { state: ChatStreamState; outputs: StreamOutput[] } {
  let state = startChatStream();
  const outputs = chunks.flatMap((value) => {
    const step = stepChatStream(state, value);
    ({ state } = step);
    return step.outputs;
  });
  return { state, outputs };
}

function contentOf(...chunks: readonly unknown[]): readonly AssistantBlock[] | undefined {
  const last = play(...chunks, CHAT_DONE).outputs.at(-1);
  return last?.kind === "message" ? last.message.content : undefined;
}

/** Blocks begin in the order of their indexes, each after the end of the one before, with its pieces inside. */
function expectOneAfterTheOther(outputs: readonly StreamOutput[]): void {
  let open: number | undefined;
  let next = 0;
  for (const output of outputs) {
    if (!("index" in output)) continue;
    if (output.kind === "block-start") {
      expect(open).toBeUndefined();
      open = next;
      next += 1;
    }
    expect(output.index).toBe(open);
    if (output.kind === "block") open = undefined;
  }
}

describe("stepChatStream", () => {
  it("tells what comes as it comes, and the whole at the end", () => {
    const { state, outputs } = play(
      chunk({ role: "assistant", content: "" }),
      text("he"),
      text("llo"),
      stop,
      usage,
      CHAT_DONE,
    );
    const message = {
      id: "chatcmpl-1",
      type: "message",
      role: "assistant",
      model: "gpt-5",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 0, output_tokens: 0 },
    };
    const block = { type: "text", text: "hello" };
    expect(outputs).toEqual([
      { kind: "start", message },
      { kind: "block-start", index: 0, block: { type: "text", text: "" } },
      { kind: "text", index: 0, text: "he" },
      { kind: "text", index: 0, text: "llo" },
      { kind: "usage", usage: { input_tokens: 6, output_tokens: 3, cache_read_input_tokens: 4 } },
      { kind: "block", index: 0, block },
      {
        kind: "message",
        message: {
          ...message,
          content: [block],
          stop_reason: "end_turn",
          usage: { input_tokens: 6, output_tokens: 3, cache_read_input_tokens: 4 },
        },
      },
    ]);
    expect(state).toEqual({ phase: "finished" });
    expect(endChatStream(state)).toEqual([]);
    expect(stepChatStream(state, text("more")).outputs).toEqual([]);
  });

  it("tells reasoning, text and calls as blocks one behind the other", () => {
    const { outputs } = play(
      chunk({ reasoning_content: "h" }),
      chunk({ reasoning: "m" }),
      text("I look"),
      calls(call(0, "t1", "read", "")),
      calls(more(0, '{"path"')),
      calls(more(0, ':"a"}')),
      calls(call(1, "t2", "list", "{}")),
      chunk({}, "tool_calls"),
      CHAT_DONE,
    );
    expect(outputs.slice(1, -1)).toEqual([
      { kind: "block-start", index: 0, block: { type: "thinking", thinking: "", signature: "" } },
      { kind: "thinking", index: 0, thinking: "h" },
      { kind: "thinking", index: 0, thinking: "m" },
      { kind: "block", index: 0, block: { type: "thinking", thinking: "hm", signature: "" } },
      { kind: "block-start", index: 1, block: { type: "text", text: "" } },
      { kind: "text", index: 1, text: "I look" },
      { kind: "block", index: 1, block: { type: "text", text: "I look" } },
      { kind: "block-start", index: 2, block: { type: "tool_use", id: "t1", name: "read", input: {} } },
      { kind: "tool-input", index: 2, json: '{"path"' },
      { kind: "tool-input", index: 2, json: ':"a"}' },
      { kind: "block", index: 2, block: { type: "tool_use", id: "t1", name: "read", input: { path: "a" } } },
      { kind: "block-start", index: 3, block: { type: "tool_use", id: "t2", name: "list", input: {} } },
      { kind: "tool-input", index: 3, json: "{}" },
      { kind: "block", index: 3, block: { type: "tool_use", id: "t2", name: "list", input: {} } },
    ]);
    expect(outputs.at(-1)).toMatchObject({ kind: "message", message: { stop_reason: "tool_use" } });
  });

  it("reads the old form of calls, refusals, and the parts of a list", () => {
    const old = [
      chunk({ function_call: { name: "read", arguments: "{" } }),
      chunk({ function_call: { arguments: "}" } }),
    ];
    expect(contentOf(...old, chunk({}, "function_call"))).toMatchObject([{ name: "read", input: {} }]);
    expect(
      play(chunk({ refusal: "I will " }), chunk({ refusal: "not" }), stop, CHAT_DONE).outputs.at(-1),
    ).toMatchObject({
      message: { content: [{ type: "text", text: "I will not" }], stop_reason: "refusal" },
    });
    expect(contentOf(chunk({ content: [{ type: "text", text: "a" }] }), text("b"), stop)).toEqual([
      { type: "text", text: "ab" },
    ]);
  });

  it("finds the usage wherever a server puts it, and believes the last one", () => {
    const figures = { prompt_tokens: 9, completion_tokens: 1 };
    const last = (...chunks: readonly unknown[]): unknown => play(...chunks, CHAT_DONE).outputs.at(-1);
    const expected = { message: { usage: { input_tokens: 9, output_tokens: 1 } } };
    expect(last(text("a"), { ...(stop as Fields), usage: figures })).toMatchObject(expected);
    expect(last(text("a"), chunk({}, "stop", { usage: figures }))).toMatchObject(expected);
    expect(last(text("a"), { ...(stop as Fields), x_groq: { usage: figures } })).toMatchObject(expected);
    expect(last(text("a"), usage, stop, { ...head, usage: figures })).toMatchObject(expected);
    expect(
      last(text("a"), stop, { ...head, choices: [], usage: figures }, { ...head, usage: null }),
    ).toMatchObject(expected);
  });

  it("waits for a choice before it begins, as Azure needs it", () => {
    const empty = { id: "", model: "", object: "", choices: [], prompt_filter_results: [] };
    expect(play(empty, text("a")).outputs[0]).toMatchObject({
      kind: "start",
      message: { id: "chatcmpl-1", model: "gpt-5" },
    });
    const { state } = play(empty);
    expect(state.phase).toBe("waiting");
    const nameless = stepChatStream(startChatStream({ responseId: "r", model: "m" }), {
      choices: [{ delta: {} }],
    });
    expect(nameless.outputs).toMatchObject([{ message: { id: "r", model: "m" } }]);
  });

  it("reads a whole response in place of a stream", () => {
    const whole = {
      ...head,
      choices: [
        {
          message: { content: "a", tool_calls: [call(undefined, "t", "x", "{}")] },
          finish_reason: "tool_calls",
        },
      ],
      usage: { prompt_tokens: 1, completion_tokens: 2 },
    };
    const { state } = play(whole);
    expect(endChatStream(state).at(-1)).toMatchObject({
      kind: "message",
      message: {
        content: [{ type: "text", text: "a" }, { id: "t" }],
        usage: { input_tokens: 1, output_tokens: 2 },
      },
    });
  });

  it("reads the first of several choices, and nothing of chunks that nobody knows", () => {
    const others = {
      ...head,
      choices: [
        { index: 1, delta: { content: "b" } },
        { index: 0, delta: { content: "a" } },
      ],
    };
    expect(contentOf({ type: "ping" }, others, {}, { ...head, choices: null }, stop)).toEqual([
      { type: "text", text: "a" },
    ]);
  });

  it("goes on behind a finish reason, and begins new blocks where kinds alternate", () => {
    expect(contentOf(text("a"), stop, text("b"), stop)).toEqual([{ type: "text", text: "ab" }]);
    const mixed = contentOf(
      chunk({ reasoning: "h" }),
      text("a"),
      chunk({ reasoning: "m" }),
      calls(call(0, "t", "x", "{}")),
      text("b"),
      stop,
    );
    expect(mixed?.map(({ type }) => type)).toEqual(["thinking", "text", "thinking", "tool_use", "text"]);
  });

  it("ends where the stream ends, if it said why; also without [DONE]", () => {
    expect(endChatStream(play(text("a"), stop).state).at(-1)).toMatchObject({ kind: "message" });
    expect(play(text("a"), CHAT_DONE).outputs.at(-1)).toMatchObject({ message: { stop_reason: "end_turn" } });
    for (const chunks of [[], [usage], [text("a")], [text("a"), usage]]) {
      expect(endChatStream(play(...chunks).state)).toMatchObject([
        { kind: "violation", violation: { code: "truncated" } },
      ]);
    }
    expect(play(CHAT_DONE).outputs).toMatchObject([{ kind: "violation", violation: { code: "truncated" } }]);
  });

  it.each([
    [
      { error: { message: "Overloaded", code: 503 } },
      { kind: "overloaded", retryable: true, message: "Overloaded" },
    ],
    [{ error: "oh" }, { kind: "api", message: "oh" }],
    [{ object: "error", message: "oh", code: 400 }, { kind: "invalid-request" }],
    [
      {
        error: {
          message: "request (9 tokens) exceeds the available context size (8 tokens), try increasing it",
          code: 400,
        },
      },
      { kind: "context-overflow", actualTokens: 9, maximumTokens: 8 },
    ],
    [
      { ...head, error: { code: 429, message: "slow" }, choices: [{ delta: {}, finish_reason: "error" }] },
      { kind: "rate-limit" },
    ],
    [chunk({ content: "" }, "error"), { kind: "api", retryable: true }],
    [chunk({}, "insufficient_system_resource"), { kind: "overloaded", retryable: true }],
  ])("ends with a typed failure: %j", (broken, failure) => {
    const { state, outputs } = play(text("a"), broken, text("b"), stop, CHAT_DONE);
    expect(outputs.at(-1)).toMatchObject({ kind: "error", failure });
    expect(state).toEqual({ phase: "failed" });
    expect(endChatStream(state)).toEqual([]);
  });

  it.each([
    [null],
    [undefined],
    ["text"],
    [[]],
    [{ choices: {} }],
    [{ choices: [7] }],
    [chunk("text")],
    [chunk({ content: 7 })],
    [chunk({ tool_calls: {} })],
    [calls(7)],
    [calls({ function: 7 })],
    [calls(call(0, "t", "x", 7))],
  ])("reports a violation: %j", (broken) => {
    const { state, outputs } = play(text("a"), broken);
    expect(outputs.at(-1)).toMatchObject({ kind: "violation", violation: { code: "malformed-event" } });
    expect(state).toEqual({ phase: "failed" });
    expect(stepChatStream(state, stop).outputs).toEqual([]);
  });

  it("does not change the state it is given", () => {
    const { state } = play(text("a"), calls(call(0, "t", "x", "{")));
    const branch = (piece: string): unknown =>
      endChatStream(stepChatStream(stepChatStream(state, calls(more(0, piece))).state, stop).state).at(-1);
    expect(branch('"b":1}')).toMatchObject({ message: { content: [{}, { input: { b: 1 } }] } });
    expect(branch('"c":1}')).toMatchObject({ message: { content: [{}, { input: { c: 1 } }] } });
  });

  it("reads a quarter of a million deltas in time", () => {
    let { state } = play(text("word "));
    for (let index = 1; index < 250_000; index += 1) ({ state } = stepChatStream(state, text("word ")));
    const [output] = stepChatStream(state, CHAT_DONE).outputs;
    expect(output?.kind === "block" && output.block.type === "text" && output.block.text).toHaveLength(
      1_250_000,
    );
  });

  it("never throws, and says one end at most, as the last thing", () => {
    const loose = fc.anything({ withBigInt: true });
    const part = fc.oneof(
      loose,
      fc.record(
        {
          index: fc.oneof(fc.nat(2), loose),
          id: fc.oneof(fc.constantFrom("a", "b"), loose),
          function: fc.oneof(
            loose,
            fc.record(
              { name: fc.oneof(fc.constant("x"), loose), arguments: fc.oneof(fc.string(), loose) },
              { requiredKeys: [] },
            ),
          ),
        },
        { requiredKeys: [] },
      ),
    );
    const delta = fc.record(
      {
        content: fc.oneof(fc.string(), loose),
        reasoning: fc.oneof(fc.string(), loose),
        refusal: loose,
        tool_calls: fc.oneof(fc.array(part, { maxLength: 3 }), loose),
        function_call: part,
      },
      { requiredKeys: [] },
    );
    const anyChunk = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record(
          {
            choices: fc.array(
              fc.record(
                {
                  index: fc.constantFrom(0, 1),
                  delta: fc.oneof(delta, loose),
                  finish_reason: fc.constantFrom(null, "stop", "length", "error"),
                },
                { requiredKeys: [] },
              ),
              { maxLength: 2 },
            ),
            usage: loose,
            id: loose,
            model: loose,
          },
          { requiredKeys: [] },
        ),
      },
      {
        weight: 2,
        arbitrary: fc.constantFrom<unknown>(
          text("a"),
          stop,
          usage,
          calls(call(0, "t", "x", "{}")),
          CHAT_DONE,
        ),
      },
      fc.record({ error: loose, choices: loose }, { requiredKeys: [] }),
      fc.jsonValue(),
      loose,
    );
    const isEnd = ({ kind }: StreamOutput): boolean =>
      kind === "error" || kind === "violation" || kind === "message";
    fc.assert(
      fc.property(fc.array(anyChunk), (chunks) => {
        const { state, outputs } = play(...chunks);
        const all = [...outputs, ...endChatStream(state)];
        expect(all.filter(isEnd)).toHaveLength(1);
        expect(all.findIndex(isEnd)).toBe(all.length - 1);
        expectOneAfterTheOther(all);
        const last = all.at(-1);
        if (last?.kind !== "message") return;
        const blocks = all.flatMap((output) => (output.kind === "block" ? [output.block] : []));
        expect(blocks).toEqual(last.message.content);
        expect(all.filter(({ kind }) => kind === "block-start")).toHaveLength(blocks.length);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("decodeChatEvent", () => {
  it.each([
    [{ event: "message", data: '{"a":1}' }, { a: 1 }],
    [{ event: "message", data: " [DONE] " }, CHAT_DONE],
    [{ event: "message", data: "" }, {}],
    [{ event: "message", data: "nonsense" }, undefined],
    [{ event: "error", data: '{"error":{"message":"oh"}}' }, { error: { message: "oh" } }],
    [{ event: "error", data: '{"message":"oh"}' }, { error: { message: "oh" } }],
    [{ event: "error", data: "oh" }, { error: { message: "oh" } }],
  ])("reads %j", (event, expected) => {
    expect(decodeChatEvent(event)).toEqual(expected);
  });
});
