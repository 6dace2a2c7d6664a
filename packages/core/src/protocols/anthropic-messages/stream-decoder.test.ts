import type { ModelResponse } from "../../messages/call/response.js";
import type { StreamOutput } from "../../messages/call/stream.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { endStream, startStream, stepStream, type StreamState } from "./stream-decoder.js";
import { encodeStream } from "./stream-encoder.js";

const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-opus-5-5",
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 12, output_tokens: 1, cache_read_input_tokens: 56, service_tier: "standard" },
} as const satisfies ModelResponse;

function play(...events: readonly unknown[]): { state: StreamState; outputs: StreamOutput[] } {
  let state = startStream();
  const outputs = events.flatMap((event) => {
    const step = stepStream(state, event);
    ({ state } = step);
    return step.outputs;
  });
  return { state, outputs };
}

const begin = { type: "message_start", message };
const open = (content_block: unknown, index = 0): unknown => ({
  type: "content_block_start",
  index,
  content_block,
});
const delta = (delta: unknown, index = 0): unknown => ({ type: "content_block_delta", index, delta });
const text = (text: string): unknown => delta({ type: "text_delta", text });
const close = (index = 0): unknown => ({ type: "content_block_stop", index });
const end = { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 9 } };
const stop = { type: "message_stop" };
const emptyText = { type: "text", text: "" };
const call = { type: "tool_use", id: "t", name: "read", input: {} };
const json = (partial_json: string): unknown => delta({ type: "input_json_delta", partial_json });

const lastOf = (...events: readonly unknown[]): StreamOutput | undefined => play(...events).outputs.at(-1);
const finished = (...events: readonly unknown[]): ModelResponse | undefined => {
  const last = lastOf(...events);
  return last?.kind === "message" ? last.message : undefined;
};

describe("stepStream", () => {
  it("tells what comes as it comes, and the whole at the end", () => {
    const { state, outputs } = play(begin, open(emptyText), text("he"), text("llo"), close(), end, stop);
    const block = { type: "text", text: "hello" };
    expect(outputs).toEqual([
      { kind: "start", message },
      { kind: "block-start", index: 0, block: emptyText },
      { kind: "text", index: 0, text: "he" },
      { kind: "text", index: 0, text: "llo" },
      { kind: "block", index: 0, block },
      { kind: "usage", usage: { ...message.usage, output_tokens: 9 } },
      {
        kind: "message",
        message: {
          ...message,
          content: [block],
          stop_reason: "end_turn",
          usage: { ...message.usage, output_tokens: 9 },
        },
      },
    ]);
    expect(state).toEqual({ phase: "finished" });
    expect(endStream(state)).toEqual([]);
  });

  it("joins surrogate pairs and JSON that are cut anywhere", () => {
    const content = finished(
      begin,
      open(emptyText),
      text("\ud83d"),
      text("\ude00"),
      close(),
      open(call, 1),
      delta({ type: "input_json_delta", partial_json: '{"path":"\\ud8' }, 1),
      delta({ type: "input_json_delta", partial_json: '3d\\ude00","n":1' }, 1),
      delta({ type: "input_json_delta", partial_json: "0}" }, 1),
      close(1),
      end,
      stop,
    )?.content;
    expect(content).toEqual([
      { type: "text", text: "😀" },
      { ...call, input: { path: "😀", n: 10 } },
    ]);
  });

  it("replaces usage by what is given later; null and absent change nothing", () => {
    const later = {
      input_tokens: null,
      output_tokens: 40,
      cache_read_input_tokens: 60,
      service_tier: null,
      iterations: [],
    };
    const fields = { context_management: { applied_edits: [] }, usage: later };
    expect(finished(begin, { ...end, ...fields }, stop)).toEqual({
      ...message,
      stop_reason: "end_turn",
      context_management: { applied_edits: [] },
      usage: { ...message.usage, output_tokens: 40, cache_read_input_tokens: 60, iterations: [] },
    });
    const twice = finished(
      begin,
      end,
      {
        type: "message_delta",
        delta: { stop_reason: null, container: { id: "c" } },
        usage: { output_tokens: "x" },
      },
      stop,
    );
    expect(twice).toMatchObject({
      stop_reason: "end_turn",
      container: { id: "c" },
      usage: { output_tokens: 9 },
    });
  });

  it("ignores pings, unknown events and unknown deltas", () => {
    const { outputs } = play(
      { type: "ping" },
      begin,
      { type: "news" },
      open(emptyText),
      delta({ type: "news" }),
    );
    expect(outputs.map(({ kind }) => kind)).toEqual(["start", "block-start"]);
    expect(play(begin, delta({ type: "news" }, 7)).state).toMatchObject({ phase: "content" });
    expect(play(begin, end, stop, { type: "ping" }).state).toEqual({ phase: "finished" });
  });

  it("keeps a block of a kind nobody knows, with the deltas that fit its fields", () => {
    expect(
      finished(begin, open({ type: "news", text: "a", n: 1 }), text("b"), close(), end, stop)?.content,
    ).toEqual([{ type: "news", text: "ab", n: 1 }]);
  });

  it("gives a message the name of the model that a fallback block brings in", () => {
    const fallback = { type: "fallback", from: { model: "a" }, to: { model: "b" } };
    expect(finished(begin, open(fallback), close(), end, stop)?.model).toBe("b");
  });

  it("gives text that stands in a start as a piece, too", () => {
    expect(lastOf(begin, open({ type: "text", text: "he" }))).toEqual({ kind: "text", index: 0, text: "he" });
    expect(lastOf(begin, open({ type: "thinking", thinking: "hm" }))).toEqual({
      kind: "thinking",
      index: 0,
      thinking: "hm",
    });
  });

  it.each(['{"path":"a', "[1]", "7", "nonsense"])("keeps a call whose input is %s", (input) => {
    expect(lastOf(begin, open(call), json(input), close())).toEqual({
      kind: "block",
      index: 0,
      block: call,
      malformedInput: input,
    });
  });

  it("parses any JSON for a call of the server", () => {
    const block = { type: "server_tool_use", id: "s", name: "web_search", input: {} };
    expect(lastOf(begin, open(block), json("[1"), json("]"), close())).toEqual({
      kind: "block",
      index: 0,
      block: { ...block, input: [1] },
    });
  });

  it("ends with a typed failure when the API sends an error", () => {
    const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    const { state, outputs } = play(begin, open(emptyText), error, text("more"), close());
    expect(outputs.at(-1)).toMatchObject({
      kind: "error",
      failure: { kind: "overloaded", retryable: true, message: "Overloaded" },
    });
    expect(state).toEqual({ phase: "failed" });
    expect(endStream(state)).toEqual([]);
  });

  it.each([
    ["malformed-event", [null]],
    ["malformed-event", [{ type: 1 }]],
    ["malformed-event", [{ type: "message_start" }]],
    ["malformed-event", [{ type: "message_start", message: { ...message, content: [emptyText] } }]],
    ["malformed-event", [begin, open({ type: "text" })]],
    ["malformed-event", [begin, open(emptyText), delta({ type: "text_delta" })]],
    ["malformed-event", [begin, open(emptyText), delta(null)]],
    ["malformed-event", [begin, { type: "message_delta" }]],
    ["unexpected-event", [open(emptyText)]],
    ["unexpected-event", [stop]],
    ["unexpected-event", [begin, begin]],
    ["unexpected-event", [begin, text("a")]],
    ["unexpected-event", [begin, close()]],
    ["unexpected-event", [begin, stop]],
    ["unexpected-event", [begin, open(emptyText), open(emptyText, 1)]],
    ["unexpected-event", [begin, open(emptyText), end]],
    ["unexpected-event", [begin, open(emptyText), stop]],
    ["unexpected-event", [begin, end, open(emptyText)]],
    ["unexpected-event", [begin, end, stop, stop]],
    ["wrong-index", [begin, open(emptyText, 1)]],
    ["wrong-index", [begin, open(emptyText), close(), open(emptyText, 0)]],
    ["wrong-index", [begin, open(emptyText), delta({ type: "text_delta", text: "" }, 1)]],
    ["wrong-index", [begin, open(emptyText), close(1)]],
    ["wrong-delta", [begin, open(emptyText), json("{}")]],
    ["wrong-delta", [begin, open(call), text("a")]],
  ])("reports a violation: %s %j", (code, events) => {
    const { state, outputs } = play(...events);
    expect(outputs.at(-1)).toMatchObject({ kind: "violation", violation: { code } });
    expect(state).toEqual({ phase: "failed" });
    expect(stepStream(state, begin).outputs).toEqual([]);
  });

  it("reports a stream that ends too early", () => {
    for (const events of [[], [begin], [begin, open(emptyText)], [begin, end]]) {
      expect(endStream(play(...events).state)).toMatchObject([
        { kind: "violation", violation: { code: "truncated" } },
      ]);
    }
  });

  it("does not change the state it is given", () => {
    const { state } = play(begin, open(emptyText), text("a"));
    const branch = (piece: string): unknown =>
      stepStream(stepStream(state, text(piece)).state, close()).outputs;
    expect(branch("b")).toMatchObject([{ block: { text: "ab" } }]);
    expect(branch("c")).toMatchObject([{ block: { text: "ac" } }]);
  });

  it("reads a quarter of a million deltas in time", () => {
    let { state } = play(begin, open(emptyText));
    for (let index = 0; index < 250_000; index += 1) ({ state } = stepStream(state, text("word ")));
    const [output] = stepStream(state, close()).outputs;
    expect(output?.kind === "block" && output.block.type === "text" && output.block.text).toHaveLength(
      1_250_000,
    );
  });

  it("never throws, and says one end at most", () => {
    const valid = encodeStream({
      ...message,
      content: [
        { type: "text", text: "hello" },
        { type: "tool_use", id: "t", name: "read", input: { path: "a" } },
        { type: "thinking", thinking: "hm", signature: "s" },
        { type: "compaction", content: "summary" },
      ],
    });
    const field = fc.constantFrom("type", "index", "delta", "content_block", "message", "usage", "error");
    const event = fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom<unknown>(...valid) },
      fc.anything(),
      fc
        .tuple(fc.constantFrom(...valid), fc.dictionary(field, fc.anything()))
        .map(([known, broken]) => ({ ...known, ...broken })),
      fc
        .constantFrom(...valid)
        .chain((known) =>
          fc.record({ type: fc.constant(known.type), index: fc.nat(3), delta: fc.anything() }),
        ),
    );
    const isEnd = ({ kind }: StreamOutput): boolean => kind === "error" || kind === "violation";
    fc.assert(
      fc.property(fc.nat(valid.length), fc.array(event), (prefix, events) => {
        const { outputs } = play(...valid.slice(0, prefix), ...events);
        expect(outputs.filter(isEnd).length).toBeLessThanOrEqual(1);
        if (outputs.some(isEnd)) expect(outputs.findIndex(isEnd)).toBe(outputs.length - 1);
      }),
      { numRuns: 500 },
    );
  });
});
