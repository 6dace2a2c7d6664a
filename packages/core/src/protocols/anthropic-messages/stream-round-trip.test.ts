import type { ModelResponse } from "../../messages/call/response.js";
import type { StreamOutput } from "../../messages/call/stream.js";
import Anthropic from "@anthropic-ai/sdk";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AssistantBlock } from "../../messages/content.js";
import { decodeSseEvent, formatSseEvent, startSse, stepSse } from "../sse.js";
import { startStream, stepStream } from "./stream-decoder.js";
import { encodeStream } from "./stream-encoder.js";

const asJson = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.constantFrom("\ud83d", "a😀b", "\r\n\n"),
);
const id = fc.string({ minLength: 1 });
const json = fc.jsonValue();
const object = fc.dictionary(fc.string(), json);
const nullable = <Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> =>
  fc.option(arbitrary, { nil: null });
const tokens = fc.nat(2_000_000);

const block = fc.oneof(
  fc.record(
    { type: fc.constant("text"), text, citations: nullable(fc.array(object)) },
    { requiredKeys: ["type", "text"] },
  ),
  fc.record({ type: fc.constant("thinking"), thinking: text, signature: text }),
  fc.record({ type: fc.constant("redacted_thinking"), data: text }),
  fc.record(
    { type: fc.constant("tool_use"), id, name: id, input: object, caller: object },
    { requiredKeys: ["type", "id", "name", "input"] },
  ),
  fc.record({ type: fc.constantFrom("server_tool_use", "mcp_tool_use"), id, name: id, input: json }),
  fc.record({ type: fc.constant("web_search_tool_result"), tool_use_id: id, content: json }),
  fc.record(
    {
      type: fc.constant("compaction"),
      content: nullable(text),
      encrypted_content: nullable(text),
      signature: nullable(text),
      tool_changes: json,
    },
    { requiredKeys: ["type", "content"] },
  ),
  fc.record({ type: fc.constant("kind_of_tomorrow"), value: json }),
) as fc.Arbitrary<AssistantBlock>;

const figures = {
  input_tokens: tokens,
  output_tokens: tokens,
  cache_creation_input_tokens: nullable(tokens),
  cache_read_input_tokens: nullable(tokens),
  cache_creation: nullable(
    fc.record({ ephemeral_5m_input_tokens: tokens, ephemeral_1h_input_tokens: tokens }),
  ),
};

const usage = fc.record(
  {
    ...figures,
    output_tokens_details: nullable(fc.record({ thinking_tokens: tokens })),
    server_tool_use: nullable(object),
    service_tier: nullable(text),
    iterations: nullable(
      fc.array(
        fc.record(
          { type: fc.constantFrom("message", "compaction"), ...figures },
          { requiredKeys: ["type", "input_tokens", "output_tokens"] },
        ),
      ),
    ),
    figure_of_tomorrow: json,
  },
  { requiredKeys: ["input_tokens", "output_tokens"] },
);

/** Messages as they come out of a JSON parser. */
const message = fc
  .record(
    {
      id,
      type: fc.constant("message" as const),
      role: fc.constant("assistant" as const),
      model: id,
      content: fc.array(block),
      stop_reason: nullable(text),
      stop_sequence: nullable(text),
      stop_details: nullable(object),
      container: nullable(object),
      usage,
      context_management: nullable(fc.record({ applied_edits: fc.array(object) })),
      diagnostics: nullable(object),
      input_transformations: nullable(fc.array(object)),
      field_of_tomorrow: json,
    },
    {
      requiredKeys: ["id", "type", "role", "model", "content", "stop_reason", "stop_sequence", "usage"],
    },
  )
  .map((value) => asJson(value) as ModelResponse);

const options = fc.record({ chunkCharacters: fc.integer({ min: 1, max: 12 }), pings: fc.boolean() });

function decode(events: readonly unknown[]): readonly StreamOutput[] {
  let state = startStream();
  return events.flatMap((event) => {
    const step = stepStream(state, event);
    ({ state } = step);
    return step.outputs;
  });
}

function readSse(chunks: readonly string[]): readonly unknown[] {
  let state = startSse();
  return chunks.flatMap((chunk) => {
    const step = stepSse(state, chunk);
    ({ state } = step);
    return step.events.map(decodeSseEvent);
  });
}

function cutAt(whole: string, cuts: readonly number[]): readonly string[] {
  const places = cuts.map((cut) => cut % (whole.length + 1)).toSorted((a, b) => a - b);
  return [0, ...places].map((from, index) => whole.slice(from, places[index] ?? whole.length));
}

describe("a streamed message", () => {
  it("is the message again, whatever the size of its deltas", () => {
    fc.assert(
      fc.property(message, options, (original, settings) => {
        const outputs = decode(encodeStream(original, settings));
        expect(outputs.at(-1)).toEqual({ kind: "message", message: original });
        const blocks = outputs.flatMap((output) => (output.kind === "block" ? [output.block] : []));
        expect(blocks).toEqual(original.content);
      }),
      { numRuns: 500 },
    );
  });

  it("is the message again when it goes over the wire in pieces cut anywhere", () => {
    fc.assert(
      fc.property(message, options, fc.array(fc.nat(), { maxLength: 40 }), (original, settings, cuts) => {
        const wire = encodeStream(original, settings).map(formatSseEvent).join("");
        const outputs = decode(readSse(cutAt(wire, cuts)));
        expect(outputs.at(-1)).toEqual({ kind: "message", message: original });
      }),
      { numRuns: 500 },
    );
  });

  it("is told in pieces that add up to it", () => {
    fc.assert(
      fc.property(message, options, (original, settings) => {
        const outputs = decode(encodeStream(original, settings));
        for (const [index, part] of original.content.entries()) {
          const own = outputs.filter((output) => "index" in output && output.index === index);
          const pieces = own
            .map((output) => {
              if (output.kind === "text") return output.text;
              if (output.kind === "thinking") return output.thinking;
              return output.kind === "tool-input" ? output.json : "";
            })
            .join("");
          if (part.type === "text") expect(pieces).toBe(part.text);
          if (part.type === "thinking") expect(pieces).toBe(part.thinking);
          if (part.type === "tool_use") expect(JSON.parse(pieces || "{}")).toEqual(part.input);
        }
      }),
    );
  });

  it("leaves its original as it was", () => {
    fc.assert(
      fc.property(message, options, (original, settings) => {
        const before = JSON.stringify(original);
        decode(encodeStream(original, settings));
        expect(JSON.stringify(original)).toBe(before);
      }),
      { numRuns: 50 },
    );
  });

  it("is read by the official SDK as the same message", async () => {
    const original: ModelResponse = {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "claude-opus-5-5",
      content: [
        { type: "compaction", content: "what was before", encrypted_content: null },
        { type: "thinking", thinking: "let me see 😀", signature: "signature" },
        { type: "redacted_thinking", data: "data" },
        { type: "text", text: "hello 😀 there", citations: [{ type: "char_location", cited_text: "x" }] },
        { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "q" } },
        { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
        { type: "tool_use", id: "toolu_1", name: "read", input: { path: "ä😀", lines: [1, 2] } },
        { type: "tool_use", id: "toolu_2", name: "list", input: {} },
      ],
      stop_reason: "tool_use",
      stop_sequence: null,
      stop_details: null,
      container: null,
      context_management: { applied_edits: [{ type: "clear_tool_uses_20250919", cleared_tool_uses: 3 }] },
      diagnostics: { cache_miss_reason: null },
      usage: {
        input_tokens: 5,
        output_tokens: 60,
        cache_creation_input_tokens: 7,
        cache_read_input_tokens: 800,
        cache_creation: { ephemeral_5m_input_tokens: 7, ephemeral_1h_input_tokens: 0 },
        output_tokens_details: { thinking_tokens: 20 },
        server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 },
        service_tier: "standard",
        iterations: [{ type: "message", input_tokens: 5, output_tokens: 60 }],
      },
    };
    const wire = encodeStream(original, { chunkCharacters: 3, pings: true }).map(formatSseEvent).join("");
    const client = new Anthropic({
      apiKey: "none",
      fetch: () => Promise.resolve(new Response(wire, { headers: { "content-type": "text/event-stream" } })),
    });
    const stream = client.beta.messages.stream({
      model: "claude-opus-5-5",
      max_tokens: 100,
      messages: [{ role: "user", content: "hello" }],
    });
    expect(asJson(await stream.finalMessage())).toMatchObject(asJson(original));
  });
});
