import type { ModelCall, ModelOutput } from "@palimpsest/core";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createSimulator } from "../simulator/core/create-simulator.js";
import { createSimulatorApp } from "../simulator/http/app.js";
import { createEchoPlayer } from "../simulator/players/echo-player.js";
import { createAnthropicProvider, type AnthropicProviderOptions } from "./anthropic.js";
import { collect, failureOf, KEY, provide, request } from "./testing/anthropic-calls.js";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

interface Sent {
  readonly url: string;
  readonly headers: Headers;
  readonly body: string;
}

/** A server without a socket: answers the requests in turn, and writes down what it was sent. */
function canned(...answers: readonly (() => Response | Promise<Response>)[]) {
  const sent: Sent[] = [];
  const answer: typeof fetch = async (input, init) => {
    const received = new Request(input, init);
    sent.push({ url: received.url, headers: received.headers, body: await received.text() });
    const next = answers[Math.min(sent.length, answers.length) - 1];
    return next === undefined ? Response.error() : next();
  };
  return { sent, fetch: answer };
}

/** The simulator without a socket. */
function simulated() {
  const app = createSimulatorApp({ simulator: createSimulator({ player: createEchoPlayer() }) });
  const sent: string[] = [];
  const answer: typeof fetch = async (input, init) => {
    const received = new Request(input, init);
    sent.push(await received.clone().text());
    return app(received);
  };
  return { sent, fetch: answer };
}

const kinds = (outputs: readonly ModelOutput[]): readonly string[] => outputs.map(({ kind }) => kind);

const simpleMessage = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-opus-5",
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
};

const errorBody = (type: string, message: string): string =>
  JSON.stringify({ type: "error", error: { type, message } });

describe("what is sent", () => {
  it("every field of the request, known or not, in its order, and nothing else but stream", async () => {
    const { sent, fetch } = canned(() => Response.json({}, { status: 400 }));
    const strange = {
      ...request,
      stream: false,
      user_profile_id: "uprof_1",
      workspace_id: "w",
      context_management: { edits: [{ type: "clear_tool_uses_20250919" }] },
      diagnostics: { previous_message_id: null },
      messages: [
        {
          role: "user" as const,
          content: [
            {
              type: "tool_result" as const,
              tool_use_id: "t1",
              content: "naïve \ud800 😀",
              cache_reference: "t1",
            },
            { type: "cache_edits", edits: [{ type: "delete", cache_reference: "t1" }] },
          ],
        },
      ],
    } as unknown as ModelCall["request"];
    await collect(provide({ fetch, baseUrl: "http://127.0.0.1:1/prefix/" }), { request: strange });
    const { stream: _, ...rest } = strange;
    expect(sent[0]?.body).toBe(JSON.stringify({ ...rest, stream: true }));
    expect(sent[0]?.url).toBe("http://127.0.0.1:1/prefix/v1/messages");
  });

  it("the key, the version, betas once each, and the headers of provider and call", async () => {
    const { sent, fetch } = canned(() => Response.json({}, { status: 400 }));
    const provider = provide({ fetch, headers: { "X-From": "provider", "x-both": "provider" } });
    await collect(provider, { betas: ["a", "b", "a"], headers: { "X-Both": "call", "x-attribution": "1" } });
    const headers = sent[0]?.headers;
    expect(headers?.get("authorization")).toBe(`Bearer ${KEY}`);
    expect(headers?.get("content-type")).toBe("application/json");
    expect(headers?.get("anthropic-version")).toBe("2026-10-21");
    expect(headers?.get("anthropic-beta")).toBe("a,b");
    expect(headers?.get("x-from")).toBe("provider");
    expect(headers?.get("x-both")).toBe("call");
    expect(headers?.get("x-attribution")).toBe("1");
    await collect(createAnthropicProvider({ authToken: "token", fetch }));
    expect(sent[1]?.headers.get("authorization")).toBe("Bearer token");
    expect(sent[1]?.headers.has("anthropic-beta")).toBe(false);
  });

  it("a request for no tokens is not streamed, and gives a start and a message", async () => {
    const { sent, fetch } = simulated();
    const outputs = await collect(provide({ fetch }), { request: { ...request, max_tokens: 0 } });
    expect(sent[0]).not.toContain("stream");
    expect(kinds(outputs)).toEqual(["start", "message"]);
    expect(outputs[1]).toMatchObject({ message: { content: [], stop_reason: "max_tokens" } });
  });

  it("nothing is printed, whatever the SDK has to say", async () => {
    vi.stubEnv("ANTHROPIC_LOG", "debug");
    const spies = (["log", "info", "warn", "error", "debug"] as const).map((name) => vi.spyOn(console, name));
    const thinking = { type: "enabled", budget_tokens: 1024 } as const;
    const broken = 'event: message_start\ndata: {"type":\n\n';
    const { fetch } = canned(
      () => new Response(broken, { headers: { "content-type": "text/event-stream" } }),
    );
    for (const model of ["claude-2.1", "claude-3-opus-20240229", "claude-opus-4-6"]) {
      await collect(provide({ fetch }), { request: { ...request, model, thinking } });
    }
    for (const spy of spies) expect(spy).not.toHaveBeenCalled();
  });
});

describe("what is answered", () => {
  it("a whole message to a request for a stream gives the outputs of a stream", async () => {
    const message = {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "claude-opus-5",
      content: [
        { type: "thinking", thinking: "hm", signature: "s" },
        { type: "text", text: "hello" },
        { type: "tool_use", id: "t1", name: "read", input: { path: "a" } },
      ],
      stop_reason: "tool_use",
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 2 },
    };
    const { fetch } = canned(() => Response.json(message));
    const outputs = await collect(provide({ fetch }));
    expect(kinds(outputs)).toEqual([
      "start",
      "block-start",
      "thinking",
      "block",
      "block-start",
      "text",
      "block",
      "block-start",
      "tool-input",
      "block",
      "message",
    ]);
    expect(outputs.at(-1)).toEqual({ kind: "message", message });
  });

  it("errors as the API says them, with status, request id and the wait it asks for", async () => {
    const headers = { "retry-after": "7", "request-id": "req_1" };
    const { sent, fetch } = canned(
      () => new Response(errorBody("rate_limit_error", "slow down"), { status: 429, headers }),
      () => new Response(errorBody("not_found_error", "model: x"), { status: 404, headers }),
    );
    const waits: number[] = [];
    const sleep = async (ms: number): Promise<void> => void waits.push(ms);
    const failure = await failureOf(provide({ fetch, ports: { sleep } }));
    expect(failure).toEqual({
      kind: "not-found",
      message: "model: x",
      retryable: false,
      retryAfterMs: 7000,
      status: 404,
      type: "not_found_error",
      requestId: "req_1",
    });
    expect(waits).toEqual([7000]);
    expect(sent).toHaveLength(2);
  });

  it("the server's word on whether to try again", async () => {
    const { sent, fetch } = canned(
      () =>
        new Response(errorBody("api_error", "no"), { status: 500, headers: { "x-should-retry": "false" } }),
    );
    expect(await failureOf(provide({ fetch }))).toMatchObject({ kind: "api", retryable: false });
    expect(sent).toHaveLength(1);
  });

  it("an error with the status 200", async () => {
    const { fetch } = canned(
      () =>
        new Response(errorBody("overloaded_error", "busy"), {
          headers: { "content-type": "application/json" },
        }),
    );
    expect(await failureOf(provide({ fetch }))).toMatchObject({ kind: "overloaded", message: "busy" });
  });

  it("a page of some proxy: its text, not without end", async () => {
    const page = `<html>${"x".repeat(10_000)}</html>`;
    const { sent, fetch } = canned(() => new Response(page, { status: 502 }));
    const failure = await failureOf(provide({ fetch }));
    expect(failure).toMatchObject({ kind: "api", status: 502, retryable: true });
    expect(failure.message).toMatch(/^<html>x+…$/);
    expect(failure.message.length).toBeLessThan(2100);
    expect(sent).toHaveLength(3);
  });

  it("pings are signs of life", async () => {
    const events = [
      'event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"x","content":[],"usage":{"input_tokens":1,"output_tokens":1}}}\n\n',
      ...Array.from({ length: 10 }, () => 'event: ping\ndata: {"type":"ping"}\n\n'),
      'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{}}\n\n',
      'event: message_stop\ndata: {"type":"message_stop"}\n\n',
    ];
    const slow = (): Response =>
      new Response(
        new ReadableStream<Uint8Array>({
          async pull(controller) {
            await new Promise((resolve) => setTimeout(resolve, 50));
            const event = events.shift();
            if (event === undefined) controller.close();
            else controller.enqueue(new TextEncoder().encode(event));
          },
        }),
        { headers: { "content-type": "text/event-stream; charset=utf-8" } },
      );
    vi.useFakeTimers();
    try {
      const { sent, fetch } = canned(slow);
      const running = collect(provide({ fetch, idleTimeoutMs: 300 }));
      await vi.advanceTimersByTimeAsync(5000);
      expect(kinds(await running)).toEqual(["start", "message"]);
      expect(sent).toHaveLength(1);
    } finally {
      vi.useRealTimers();
    }
  });

  it("no head within the idle time-out is a time-out, and the request is called off", async () => {
    const signals: (AbortSignal | null | undefined)[] = [];
    const silent: typeof fetch = (_input, init) => {
      signals.push(init?.signal);
      return new Promise(() => {});
    };
    const failure = await failureOf(provide({ fetch: silent, idleTimeoutMs: 20, maxRetries: 1 }));
    expect(failure).toMatchObject({ kind: "timeout", retryable: true });
    expect(signals.map((signal) => signal?.aborted)).toEqual([true, true]);
  });
});

describe("credentials", () => {
  it("a key that is missing, empty, or there twice: a failure that says so, and no request", async () => {
    vi.stubEnv("ANTHROPIC_API_KEY", "");
    vi.stubEnv("ANTHROPIC_AUTH_TOKEN", "");
    vi.stubEnv("ANTHROPIC_CONFIG_DIR", "/nonexistent");
    const { sent, fetch } = canned();
    const none = "there is no API key: pass one as apiKey, or set ANTHROPIC_API_KEY";
    for (const [options, message] of [
      [{}, none],
      [{ apiKey: " " }, none],
      [{ authToken: "" }, none],
      [{ apiKey: "a", authToken: "b" }, "pass an apiKey or an authToken, not both"],
    ] as const) {
      const failure = await failureOf(createAnthropicProvider({ ...options, fetch }));
      expect(failure).toEqual({ kind: "authentication", message, retryable: false });
    }
    expect(sent).toEqual([]);
  });

  it("from the environment", async () => {
    vi.stubEnv("ANTHROPIC_API_KEY", "sk-of-the-environment");
    const { sent, fetch } = canned(() =>
      Response.json({ error: { message: "bad key sk-of-the-environment" } }, { status: 401 }),
    );
    const failure = await failureOf(createAnthropicProvider({ fetch }));
    expect(failure).toMatchObject({ kind: "authentication", message: "bad key [secret]" });
    expect(sent[0]?.headers.get("authorization")).toBe("Bearer sk-of-the-environment");
  });

  it("never stand in a failure, whoever says them", async () => {
    const { fetch } = canned(
      () =>
        new Response(errorBody("authentication_error", `no such key: ${KEY} / proxy-pass / own-key`), {
          status: 401,
        }),
    );
    const provider = provide({ fetch, headers: { "Proxy-Authorization": "proxy-pass" } });
    const failure = await failureOf(provider, { headers: { "X-Api-Key": "own-key" } });
    expect(failure.message).toBe("no such key: [secret] / [secret] / [secret]");
    const unsendable = await failureOf(provide({ apiKey: "sk-with\nline", fetch }));
    expect(unsendable).toMatchObject({ kind: "authentication", retryable: false });
    expect(JSON.stringify(unsendable)).not.toContain("sk-with");
  });

  const TOKEN = "tok-very-secret";
  const bearer = { authorization: `Bearer ${TOKEN}` };
  const cookies = { cookie: `a=b; session=${TOKEN}` };

  it.each<[string, AnthropicProviderOptions, Partial<ModelCall>]>([
    ["a token behind its scheme", { headers: bearer }, {}],
    ["a token in a header of the call", {}, { headers: { Authorization: `Bearer ${TOKEN}` } }],
    ["the key of a gateway", { headers: { "x-portkey-api-key": TOKEN } }, {}],
    ["the token of a gateway", { headers: { "cf-aig-authorization": `Bearer ${TOKEN}` } }, {}],
    ["a cookie", { headers: cookies }, {}],
    ["a key in the query", { baseUrl: `https://api.example/?key=${TOKEN}&path=` }, {}],
  ])("do not leak where the server repeats %s", async (_, options, call) => {
    const { fetch } = canned(
      () => new Response(errorBody("authentication_error", `invalid token ${TOKEN}`), { status: 401 }),
    );
    const failure = await failureOf(provide({ fetch, ...options }), call);
    expect(failure.message).toBe("invalid token [secret]");
  });

  it("do not leak from headers of the environment, which only the SDK knows", async () => {
    vi.stubEnv("ANTHROPIC_CUSTOM_HEADERS", `x-gateway-key: ${TOKEN}`);
    const { fetch, sent } = canned(() =>
      Response.json({ error: { message: `bad key ${TOKEN}` } }, { status: 401 }),
    );
    expect(await failureOf(provide({ fetch }))).toMatchObject({ message: "bad key [secret]" });
    expect(sent[0]?.headers.get("x-gateway-key")).toBe(TOKEN);
  });

  it("do not leak through the type, the code or the id of an error, nor through a broken stream", async () => {
    const error = { type: `bad ${KEY}`, message: "invalid", details: { error_code: KEY } };
    const { fetch } = canned(() =>
      Response.json({ type: "error", error }, { status: 401, headers: { "request-id": `req ${KEY}` } }),
    );
    expect(await failureOf(provide({ fetch }))).toMatchObject({
      kind: "authentication",
      type: "bad [secret]",
      errorCode: "[secret]",
      requestId: "req [secret]",
    });
    const events = [
      { type: "message_start", message: { ...simpleMessage, content: [] } },
      { type: "content_block_start", index: 0, content_block: { type: KEY } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "a" } },
    ];
    const stream = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
    const broken = canned(() => new Response(stream, { headers: { "content-type": "text/event-stream" } }));
    const failure = await failureOf(provide({ fetch: broken.fetch, maxRetries: 0 }));
    expect(failure).toMatchObject({ kind: "api", message: expect.stringContaining("[secret]") as string });
    expect(JSON.stringify(failure)).not.toContain(KEY);
  });
});

describe("what cannot be sent", () => {
  it.each([
    ["a base URL that is none", { baseUrl: "api.example" }, {}],
    ["a header of the provider", { headers: { "x-bad": "a\nb" } }, {}],
    ["a header of the call", {}, { headers: { "no name": "x" } }],
    ["a request that is no JSON", {}, { request: { ...request, metadata: 1n } }],
  ] as const)("%s", async (_, options, call) => {
    const { sent, fetch } = canned();
    const failure = await failureOf(provide({ fetch, ...options }), call);
    expect(failure).toMatchObject({ kind: "invalid-request", retryable: false });
    expect(sent).toEqual([]);
  });
});

describe("capabilities", () => {
  it("follow the model; of an unknown one little is believed; the caller knows best", () => {
    const provider = provide({});
    expect(provider.capabilities("claude-opus-5")).toMatchObject({
      caching: "markers",
      cacheEdits: false,
      contextEdits: true,
      compactionBlocks: true,
      cacheDiagnostics: true,
    });
    expect(provider.capabilities("claude-opus-4-5-20251101")).toMatchObject({
      contextEdits: true,
      compactionBlocks: false,
    });
    expect(provider.capabilities("some-model")).toMatchObject({
      caching: "markers",
      maxMarkers: 4,
      contextEdits: false,
      compactionBlocks: false,
      cacheDiagnostics: false,
    });
    const told = provide({ capabilities: { cacheScopes: true } });
    expect(told.capabilities("some-model").cacheScopes).toBe(true);
  });
});
