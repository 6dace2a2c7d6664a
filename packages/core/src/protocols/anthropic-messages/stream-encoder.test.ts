import type { ModelResponse } from "../../messages/call/response.js";
import { describe, expect, it } from "vitest";
import { encodeStream } from "./stream-encoder.js";

const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-opus-5-5",
  content: [],
  stop_reason: "tool_use",
  stop_sequence: null,
  usage: { input_tokens: 12, output_tokens: 34, cache_read_input_tokens: 56, service_tier: "standard" },
} as const satisfies ModelResponse;

/** The events of the blocks alone. */
const blockEvents = (content: ModelResponse["content"], chunkCharacters = 4): unknown =>
  encodeStream({ ...message, content }, { chunkCharacters }).slice(1, -2);

describe("encodeStream", () => {
  it("frames a message as §3 of the reference has it", () => {
    const events = encodeStream({
      ...message,
      diagnostics: { cache_miss_reason: null },
      input_transformations: [],
      stop_details: { type: "refusal" },
      context_management: { applied_edits: [{ type: "clear_tool_uses_20250919" }] },
      usage: { ...message.usage, iterations: [{ type: "message", input_tokens: 12, output_tokens: 34 }] },
    });
    expect(events).toEqual([
      {
        type: "message_start",
        message: {
          ...message,
          content: [],
          stop_reason: null,
          stop_details: null,
          diagnostics: { cache_miss_reason: null },
          input_transformations: [],
          context_management: null,
          usage: { ...message.usage, output_tokens: 1, iterations: null },
        },
      },
      {
        type: "message_delta",
        delta: { stop_reason: "tool_use", stop_sequence: null, stop_details: { type: "refusal" } },
        usage: {
          input_tokens: 12,
          output_tokens: 34,
          cache_read_input_tokens: 56,
          iterations: [{ type: "message", input_tokens: 12, output_tokens: 34 }],
        },
        context_management: { applied_edits: [{ type: "clear_tool_uses_20250919" }] },
      },
      { type: "message_stop" },
    ]);
  });

  it("has context_management in the delta only when the message has it, and pings only when asked", () => {
    expect(encodeStream(message)[1]).not.toHaveProperty("context_management");
    expect(encodeStream(message, { pings: true }).map(({ type }) => type)).toEqual([
      "message_start",
      "ping",
      "message_delta",
      "message_stop",
    ]);
  });

  it("streams text in pieces, and its citations one by one", () => {
    expect(blockEvents([{ type: "text", text: "hello!", citations: [{ n: 1 }, { n: 2 }] }])).toEqual([
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "", citations: [] } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "hell" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "o!" } },
      { type: "content_block_delta", index: 0, delta: { type: "citations_delta", citation: { n: 1 } } },
      { type: "content_block_delta", index: 0, delta: { type: "citations_delta", citation: { n: 2 } } },
      { type: "content_block_stop", index: 0 },
    ]);
  });

  it("sends the signature of thinking just before its stop, alone where the thinking is omitted", () => {
    expect(
      blockEvents([
        { type: "thinking", thinking: "hm", signature: "long signature" },
        { type: "thinking", thinking: "", signature: "s" },
      ]),
    ).toEqual([
      {
        type: "content_block_start",
        index: 0,
        content_block: { type: "thinking", thinking: "", signature: "" },
      },
      { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "hm" } },
      {
        type: "content_block_delta",
        index: 0,
        delta: { type: "signature_delta", signature: "long signature" },
      },
      { type: "content_block_stop", index: 0 },
      {
        type: "content_block_start",
        index: 1,
        content_block: { type: "thinking", thinking: "", signature: "" },
      },
      { type: "content_block_delta", index: 1, delta: { type: "signature_delta", signature: "s" } },
      { type: "content_block_stop", index: 1 },
    ]);
  });

  it("streams the input of a tool as JSON, an empty one as one empty delta", () => {
    const call = { type: "tool_use", id: "t", name: "read" } as const;
    const start = { ...call, input: {} };
    expect(
      blockEvents(
        [
          { ...call, input: { a: 1 } },
          { ...call, input: {} },
        ],
        5,
      ),
    ).toEqual([
      { type: "content_block_start", index: 0, content_block: start },
      { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: '{"a":' } },
      { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: "1}" } },
      { type: "content_block_stop", index: 0 },
      { type: "content_block_start", index: 1, content_block: start },
      { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: "" } },
      { type: "content_block_stop", index: 1 },
    ]);
  });

  it("streams a threshold compaction in one delta, whatever its length", () => {
    const block = { type: "compaction", content: "a long summary", encrypted_content: "e" } as const;
    expect(blockEvents([block])).toEqual([
      {
        type: "content_block_start",
        index: 0,
        content_block: { type: "compaction", content: null, encrypted_content: null },
      },
      {
        type: "content_block_delta",
        index: 0,
        delta: { type: "compaction_delta", content: "a long summary", encrypted_content: "e" },
      },
      { type: "content_block_stop", index: 0 },
    ]);
  });

  it.each([
    [{ type: "compaction", content: "a long summary", signature: "s" }],
    [{ type: "redacted_thinking", data: "a lot of data" }],
    [{ type: "server_tool_use", id: "s", name: "web_search", input: { query: "q" } }],
    [{ type: "web_search_tool_result", tool_use_id: "s", content: [] }],
  ] as const)("sends whole: %j", (block) => {
    expect(blockEvents([block])).toEqual([
      { type: "content_block_start", index: 0, content_block: block },
      { type: "content_block_stop", index: 0 },
    ]);
  });

  it("cuts no surrogate pair", () => {
    const texts = (size: number): unknown =>
      encodeStream({ ...message, content: [{ type: "text", text: "a😀😀b" }] }, { chunkCharacters: size })
        .filter((event) => event.type === "content_block_delta")
        .map(({ delta }) => delta.type === "text_delta" && delta.text);
    expect(texts(2)).toEqual(["a😀", "😀", "b"]);
    expect(texts(0)).toEqual(["a", "😀", "😀", "b"]);
    expect(texts(Infinity)).toEqual(["a😀😀b"]);
  });
});
