import { brotliCompressSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createExchangeReader } from "./exchange-reader.js";
import type { Exchange } from "./exchange.js";
import { isSubscriptionRequest, readRequestHeaders } from "./read-headers.js";
import { readExchange } from "./read-exchange.js";

const exchange = (more: Partial<Exchange> & { readonly text?: string | Uint8Array }): Exchange => {
  const { text = "", ...rest } = more;
  return {
    at: 0,
    milliseconds: 1,
    tenant: "local",
    protocol: "anthropic",
    method: "POST",
    path: "/v1/messages?beta=true",
    headers: {},
    isSubscription: false,
    end: "complete",
    isIdentical: true,
    answer: { status: 200, headers: { "content-type": "application/json" } },
    requestBody: Buffer.from('{"model":"claude-opus-5"}'),
    answerBody: Buffer.from(text),
    ...rest,
  };
};

const stream = { status: 200, headers: { "content-type": "text/event-stream; charset=utf-8" } };
const sse = (...events: readonly (readonly [string, object])[]): string =>
  events
    .map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify({ type: name, ...data })}\n\n`)
    .join("");

const usage = {
  input_tokens: 10,
  cache_read_input_tokens: 20,
  cache_creation_input_tokens: 30,
  cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
  output_tokens: 1,
};
const start = ["message_start", { message: { model: "claude-opus-5", usage } }] as const;

describe("what an exchange has used", () => {
  it("a whole message, also compressed, and a stream whose later figures replace the earlier ones", () => {
    const text = JSON.stringify({
      type: "message",
      model: "claude-opus-5",
      usage: { ...usage, output_tokens: 40 },
    });
    const call = { model: "claude-opus-5", usage: { ...usage, output_tokens: 40 } };
    expect(readExchange(exchange({ text })).call).toEqual(call);
    for (const [encoding, bytes] of [
      ["gzip", gzipSync(text)],
      ["br", brotliCompressSync(text)],
    ] as const) {
      const answer = { status: 200, headers: { "content-encoding": encoding } };
      expect(readExchange(exchange({ text: bytes, answer })).call).toEqual(call);
    }
    const events = sse(
      start,
      ["content_block_delta", { delta: { type: "text_delta", text: '"usage"' } }],
      ["message_delta", { usage: { output_tokens: 40, input_tokens: null } }],
      ["message_stop", {}],
    );
    expect(readExchange(exchange({ text: events, answer: stream })).call).toEqual(call);
  });

  it("a stream that was cut off has what it said by then, and says that its output is not known", () => {
    const text = `${sse(start)}event: content_block_delta\ndata: {"type":"cont`;
    expect(readExchange(exchange({ text, answer: stream, end: "aborted" }))).toMatchObject({
      call: { usage, estimated: "output" },
      end: "aborted",
    });
    expect(
      readExchange(exchange({ text: "event: ping\ndata: {}\n\n", answer: stream, end: "cut" })),
    ).toMatchObject({
      unread: "it ended before its usage came",
    });
  });

  it("an answer that another model goes on with is that model's", () => {
    const text = sse(start, [
      "content_block_start",
      { content_block: { type: "fallback", to: { model: "claude-haiku-4-5" } } },
    ]);
    expect(readExchange(exchange({ text, answer: stream })).call?.model).toBe("claude-haiku-4-5");
  });

  it("errors by their type, also within a stream; what is refused is not billed", () => {
    const text = JSON.stringify({ type: "error", error: { type: "overloaded_error", message: "…" } });
    const answer = { status: 529, headers: {} };
    expect(readExchange(exchange({ text, answer }))).toEqual({
      at: 0,
      milliseconds: 1,
      tenant: "local",
      endpoint: "messages",
      end: "complete",
      isIdentical: true,
      isSubscription: false,
      status: 529,
      error: "overloaded_error",
    });
    const events = sse(start, ["error", { error: { type: "api_error" } }]);
    expect(readExchange(exchange({ text: events, answer: stream }))).toMatchObject({
      error: "api_error",
      call: { usage, estimated: "output" },
    });
  });

  it("chat and Responses: parts of the input become what they are elsewhere", () => {
    const openai = { protocol: "openai", path: "/v1/chat/completions" } as const;
    const chat = { prompt_tokens: 100, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 60 } };
    const call = {
      model: "gpt-x",
      usage: { input_tokens: 40, cache_read_input_tokens: 60, output_tokens: 5 },
    };
    expect(
      readExchange(exchange({ ...openai, text: JSON.stringify({ model: "gpt-x", usage: chat }) })),
    ).toMatchObject({
      endpoint: "chat",
      call,
    });
    const chunks = [
      { model: "gpt-x", choices: [{}], usage: null },
      { model: "gpt-x", choices: [], usage: chat },
    ];
    const text = `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")}data: [DONE]\n\n`;
    expect(readExchange(exchange({ ...openai, text, answer: stream })).call).toMatchObject(call);
    const response = {
      object: "response",
      model: "gpt-x",
      usage: { input_tokens: 100, output_tokens: 5, input_tokens_details: { cached_tokens: 60 } },
    };
    const responses = { protocol: "openai", path: "/v1/responses" } as const;
    expect(readExchange(exchange({ ...responses, text: JSON.stringify(response) })).call).toMatchObject(call);
    const completed = `event: response.output_text.delta\ndata: {"delta":"usage"}\n\nevent: response.completed\ndata: ${JSON.stringify({ type: "response.completed", response })}\n\n`;
    expect(readExchange(exchange({ ...responses, text: completed, answer: stream })).call).toMatchObject(
      call,
    );
    const quiet = `data: ${JSON.stringify({ choices: [{ delta: {} }] })}\n\n`;
    expect(readExchange(exchange({ ...openai, text: quiet, answer: stream })).unread).toBe(
      "the answer says no usage",
    );
  });

  it("counts of tokens, other paths and other methods are not billed", () => {
    const text = JSON.stringify({ type: "message", usage, input_tokens: 7 });
    const of = (more: Partial<Exchange>): object => readExchange(exchange({ text, ...more }));
    expect(of({ path: "/v1/messages/count_tokens" })).toMatchObject({ endpoint: "count-tokens" });
    expect(of({ path: "/v1/messages/count_tokens" })).not.toHaveProperty("call");
    expect(of({ method: "GET" })).toMatchObject({ endpoint: "other" });
    expect(of({ path: "/v1/messages/batches" })).not.toHaveProperty("call");
  });

  it("what cannot be read says why", () => {
    const answer = { status: 200, headers: { "content-encoding": "zstd" } };
    expect(readExchange(exchange({ text: "x", answer })).unread).toBe("the encoding zstd is not read");
    const { answerBody: _, ...without } = exchange({});
    expect(readExchange(without).unread).toBe("the answer is larger than is kept");
  });

  it("property: whatever the bodies and headers hold, it does not throw, and figures are figures", () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.json().map((text) => Buffer.from(text)),
      fc
        .json()
        .map((text) => Buffer.from(`event: message_start\ndata: {"message":${text}}\n\ndata: ${text}\n\n`)),
    );
    fc.assert(
      fc.property(
        bytes,
        bytes,
        fc.constantFrom("", "gzip", "br", "deflate", "identity", "zstd"),
        fc.constantFrom("text/event-stream", "application/json"),
        fc.constantFrom<Partial<Exchange>>(
          {},
          { protocol: "openai", path: "/v1/responses" },
          { protocol: "openai", path: "/v1/chat/completions" },
        ),
        (requestBody, answerBody, encoding, type, more) => {
          const headers = { "content-encoding": encoding, "content-type": type };
          const record = readExchange(
            exchange({ requestBody, answerBody, ...more, answer: { status: 200, headers } }),
          );
          expect(record.endpoint).not.toBe("other");
          expect(() => JSON.stringify(record)).not.toThrow();
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe("what a request may hold", () => {
  it("property: whatever stands where messages, tools and a system prompt belong, what it used is known", async () => {
    const reader = createExchangeReader();
    const anything = fc.jsonValue({ maxDepth: 4 });
    const message = fc.oneof(
      anything,
      fc.record({
        role: fc.constantFrom("user", "assistant", "system", "__proto__"),
        content: fc.oneof(
          fc.string(),
          anything,
          fc.array(fc.record({ type: fc.constantFrom("text", "tool_result"), content: anything })),
        ),
      }),
    );
    const answered = JSON.stringify({ type: "message", model: "claude-opus-5", usage });
    await fc.assert(
      fc.asyncProperty(
        fc.array(message),
        anything,
        anything,
        anything,
        async (messages, system, tools, more) => {
          const body = JSON.stringify({
            model: more,
            messages,
            system,
            tools,
            metadata: more,
            thinking: more,
          });
          const record = await reader.read(exchange({ text: answered, requestBody: Buffer.from(body) }));
          expect(record.call).toEqual({ model: "claude-opus-5", usage });
          expect(record.conversation).toBeDefined();
        },
      ),
      { numRuns: 1000 },
    );
  });

  it("what is no request, or nested without end, is still counted", async () => {
    const reader = createExchangeReader();
    const answered = JSON.stringify({ type: "message", model: "claude-opus-5", usage });
    const deep = `{"messages":${"[".repeat(200_000)}${"]".repeat(200_000)}}`;
    for (const body of ["", "{", "null", "[]", '{"messages":7}', deep]) {
      const record = await reader.read(exchange({ text: answered, requestBody: Buffer.from(body) }));
      expect(record).toMatchObject({ call: { usage } });
      expect(record).not.toHaveProperty("conversation");
    }
  });
});

describe("what is read of headers", () => {
  it("no credential, whatever it is called", () => {
    const headers = [
      ["x-api-key", "secret-1"],
      ["Authorization", "Bearer sk-ant-oat01-secret-2"],
      ["Cookie", "secret-3"],
      ["X-Claude-Code-Session-Id", "session"],
      ["x-my-token", "secret-4"],
    ].flat();
    expect(readRequestHeaders(headers)).toEqual({ "x-claude-code-session-id": "session" });
    expect(isSubscriptionRequest(headers)).toBe(true);
    expect(isSubscriptionRequest(["authorization", "Bearer sk-ant-api03-x"])).toBe(false);
    expect(isSubscriptionRequest(["x-note", "authorization", "Bearer sk-ant-oat01", "x"])).toBe(false);
  });
});
