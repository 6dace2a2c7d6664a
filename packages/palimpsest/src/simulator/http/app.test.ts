import { gzipSync } from "node:zlib";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { MessageOutcome, Outcome, SimulatedCall } from "../outcome.js";
import type { Delivery } from "../player.js";
import type { Simulator } from "../simulator.js";
import { createSimulatorApp, type SimulatorApp, type SimulatorAppOptions } from "./app.js";
import { ConnectionCut } from "./deliver.js";
import { createRequestLog } from "./request-log.js";

/** Answers every call with the same, and remembers what it was asked. */
function fakeSimulator(outcome: Outcome = message()): Simulator & { readonly calls: SimulatedCall[] } {
  const calls: SimulatedCall[] = [];
  let now = Date.UTC(2026, 10, 16);
  return {
    calls,
    call(call) {
      calls.push(call);
      if (call.endpoint === "count_tokens") return { kind: "count", body: { input_tokens: 7 } };
      return outcome;
    },
    now: () => now,
    advance(milliseconds) {
      now += milliseconds;
    },
    reset() {
      calls.length = 0;
    },
  };
}

const message = (delivery: Delivery = {}): MessageOutcome => ({
  kind: "message",
  message: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-opus-5",
    content: [{ type: "text", text: "hello" }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 2 },
  },
  delivery,
  verdict: {
    model: "claude-opus-5",
    promptTokens: 100,
    input: 10,
    cacheRead: 50,
    cacheWrite5m: 40,
    cacheWrite1h: 20,
    output: 2,
    cost: 0.5,
    hit: null,
    misses: [],
    cached: [],
  },
});

const appOf = (outcome?: Outcome, options: Partial<SimulatorAppOptions> = {}): SimulatorApp =>
  createSimulatorApp({ simulator: fakeSimulator(outcome), clock: "manual", ...options });

const headers = { "x-api-key": "sk-test", "anthropic-version": "2023-06-01" };
const body = { model: "claude-opus-5", max_tokens: 10, messages: [{ role: "user", content: "hi" }] };

interface Posted {
  readonly path?: string;
  readonly headers?: Record<string, string>;
  /** As it is, or what JSON makes of it. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

const post = ({ path = "/v1/messages", body: content = body, ...init }: Posted = {}): Request =>
  new Request(`http://localhost${path}`, {
    method: "POST",
    headers,
    ...init,
    body:
      typeof content === "string" || content instanceof Uint8Array || content instanceof ReadableStream
        ? content
        : JSON.stringify(content),
    duplex: "half",
  });

const get = (path: string, init: RequestInit = { headers }): Request =>
  new Request(`http://localhost${path}`, init);

/** Status and body, which has to be an error of the API's form. */
async function errorOf(response: Response): Promise<{ status: number; type: string; message: string }> {
  const answer = (await response.json()) as {
    type: string;
    error: { type: string; message: string };
    request_id: string;
  };
  expect(answer).toEqual({
    type: "error",
    error: { type: expect.any(String), message: expect.any(String) },
    request_id: expect.stringMatching(/^req_/),
  });
  expect(response.headers.get("request-id")).toBe(answer.request_id);
  return { status: response.status, type: answer.error.type, message: answer.error.message };
}

const control = async (app: SimulatorApp, path: string, body?: unknown): Promise<Record<string, unknown>> => {
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  return (await app(get(`/__sim/${path}`, init))).json() as Promise<Record<string, unknown>>;
};

const requestsOf = async (app: SimulatorApp): Promise<Record<string, unknown>[]> =>
  (await control(app, "requests"))["requests"] as Record<string, unknown>[];

describe("authentication and versions", () => {
  it.each([
    ["no key", { "anthropic-version": "2023-06-01" }, 401, "x-api-key header is required"],
    ["an empty key", { ...headers, "x-api-key": " " }, 401, "x-api-key header is required"],
    ["a wrong key", { ...headers, "x-api-key": "sk-other" }, 401, "invalid x-api-key"],
    [
      "a wrong bearer token",
      { authorization: "Bearer sk-other", "anthropic-version": "2023-06-01" },
      401,
      "Invalid bearer token",
    ],
    ["no version", { "x-api-key": "sk-test" }, 400, "anthropic-version: header is required"],
  ])("%s", async (_, headers, status, message) => {
    const app = appOf(undefined, { apiKeys: ["sk-test"] });
    for (const request of [
      post({ headers }),
      post({ headers, path: "/v1/messages/count_tokens" }),
      get("/v1/models", { headers }),
      get("/v1/models/claude-opus-5", { headers }),
    ]) {
      const type = status === 401 ? "authentication_error" : "invalid_request_error";
      expect(await errorOf(await app(request))).toEqual({ status, type, message });
    }
  });

  it("both header styles are one workspace, another key is another one, and no key is in the log", async () => {
    const simulator = fakeSimulator();
    const app = createSimulatorApp({ simulator, clock: "manual" });
    const version = { "anthropic-version": "2026-10-21" };
    await app(post({ headers: { ...version, "x-api-key": "sk-secret-1" } }));
    await app(post({ headers: { ...version, authorization: "Bearer sk-secret-1" } }));
    await app(post({ headers: { ...version, "x-api-key": "sk-secret-2", "anthropic-beta": "a-1, b-2" } }));
    const [first, second, third] = simulator.calls;
    expect(first?.workspace).toBe(second?.workspace);
    expect(third?.workspace).not.toBe(first?.workspace);
    expect(third).toMatchObject({ betas: ["a-1", "b-2"], apiVersion: "2026-10-21", body });
    expect(JSON.stringify(await control(app, "requests"))).not.toContain("secret");
  });
});

describe("routing", () => {
  it.each([
    ["GET", "/v1/messages", 405, "invalid_request_error", "Method Not Allowed"],
    ["DELETE", "/v1/messages/count_tokens", 405, "invalid_request_error", "Method Not Allowed"],
    ["POST", "/v1/models", 405, "invalid_request_error", "Method Not Allowed"],
    ["POST", "/v1/complete", 404, "not_found_error", "Not Found"],
    ["GET", "/", 404, "not_found_error", "Not Found"],
    ["GET", "/v1/models/claude-nonsense", 404, "not_found_error", "model: claude-nonsense"],
    ["GET", "/v1/models/%ff", 404, "not_found_error", "model: %ff"],
  ])("%s %s", async (method, path, status, type, message) => {
    expect(await errorOf(await appOf()(get(path, { method, headers })))).toEqual({ status, type, message });
  });

  it("says which method is allowed", async () => {
    const response = await appOf()(get("/v1/messages"));
    expect(response.headers.get("allow")).toBe("POST");
  });

  it("counts tokens", async () => {
    const response = await appOf()(post({ path: "/v1/messages/count_tokens" }));
    expect([response.status, await response.json()]).toEqual([200, { input_tokens: 7 }]);
  });

  it("lists models page by page, and finds one by an alias", async () => {
    const app = appOf(undefined, { window: 50_000 });
    const ids: string[] = [];
    let after = "";
    for (;;) {
      const page = (await (await app(get(`/v1/models?limit=4${after}`))).json()) as {
        data: { id: string; type: string; max_input_tokens: number }[];
        has_more: boolean;
        first_id: string;
        last_id: string;
      };
      expect(page.first_id).toBe(page.data[0]?.id);
      ids.push(...page.data.map(({ id }) => id));
      if (!page.has_more) break;
      after = `&after_id=${page.last_id}`;
    }
    expect(ids).toContain("claude-opus-5");
    expect(new Set(ids).size).toBe(ids.length);
    const model = await (await app(get("/v1/models/claude-opus-4-5-20251101"))).json();
    expect(model).toMatchObject({
      id: "claude-opus-4-5",
      type: "model",
      display_name: "Claude Opus 4.5",
      line: "opus",
      lifecycle: "active",
      max_input_tokens: 50_000,
      max_tokens: 64_000,
      capabilities: { context_management: { compact_20260112: { supported: false } } },
    });
    expect((await errorOf(await app(get("/v1/models?limit=0")))).status).toBe(400);
  });
});

describe("bodies", () => {
  it.each([
    ["", "Input is a zero-length, empty document: line 1 column 1 (char 0)"],
    ["{", "unexpected end of data: line 1 column 2 (char 1)"],
    ['{"a":1,}', "trailing comma is not allowed: line 1 column 8 (char 7)"],
    ['{\n "a": nul}', "invalid literal: line 2 column 7 (char 8)"],
    ['{"a":\n\n ?}', "unexpected character: line 3 column 2 (char 8)"],
    ['{"a":"\ud83d\ude00"} x', "unexpected content after document: line 1 column 12 (char 11)"],
    [String.raw`{"a":"\ud83d"}`, "no low surrogate in string: line 1 column 7 (char 6)"],
    [String.raw`{"a":"\\ud83d\udc00"}`, "invalid high surrogate in string: line 1 column 14 (char 13)"],
    [String.raw`{"a":"\ud83d\u0041"}`, "invalid low surrogate in string: line 1 column 7 (char 6)"],
  ])("%j is not JSON", async (text, problem) => {
    expect(await errorOf(await appOf()(post({ body: text })))).toEqual({
      status: 400,
      type: "invalid_request_error",
      message: `The request body is not valid JSON: ${problem}`,
    });
  });

  it("whole surrogate pairs pass, escaped or not", async () => {
    const response = await appOf()(post({ body: String.raw`{"a":"\ud83d\ude00 \\ud83d 😀"}` }));
    expect(response.status).toBe(200);
  });

  it("bytes that are no UTF-8", async () => {
    const { status, message } = await errorOf(await appOf()(post({ body: Uint8Array.of(0x22, 0xff, 0x22) })));
    expect([status, message]).toEqual([400, expect.stringContaining("not valid UTF-8")]);
  });

  const tooLarge = {
    status: 413,
    type: "request_too_large",
    message: "Request exceeds the maximum size",
  };

  it("too large, as its header says", async () => {
    const simulator = fakeSimulator();
    const app = createSimulatorApp({ simulator, maxBodyBytes: 100 });
    const request = post({ body: "x".repeat(101), headers: { ...headers, "content-length": "101" } });
    expect(await errorOf(await app(request))).toEqual(tooLarge);
    expect(simulator.calls).toEqual([]);
  });

  it("too large, with a header that lies or none: reading stops at the limit", async () => {
    const app = appOf(undefined, { maxBodyBytes: 100 });
    const lying = post({ body: "x".repeat(101), headers: { ...headers, "content-length": "5" } });
    expect(await errorOf(await app(lying))).toEqual(tooLarge);
    let read = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        read += 30;
        controller.enqueue(new Uint8Array(30));
      },
    });
    expect(await errorOf(await app(post({ body: endless })))).toEqual(tooLarge);
    expect(read).toBeLessThan(400);
  });

  it("gzip is inflated, but not beyond the limit", async () => {
    const app = appOf(undefined, { maxBodyBytes: 10_000 });
    const zipped = (text: string): Request =>
      post({ body: gzipSync(text), headers: { ...headers, "content-encoding": "gzip" } });
    expect((await app(zipped(JSON.stringify(body)))).status).toBe(200);
    expect(await errorOf(await app(zipped(" ".repeat(5_000_000))))).toEqual(tooLarge);
    const broken = post({ headers: { ...headers, "content-encoding": "gzip" } });
    expect((await errorOf(await app(broken))).status).toBe(400);
    const unknown = post({ headers: { ...headers, "content-encoding": "br" } });
    expect((await errorOf(await app(unknown))).message).toBe("content-encoding: only gzip is supported");
  });
});

describe("answers", () => {
  it("a message, with the headers of the API", async () => {
    const app = appOf();
    const response = await app(post());
    expect(await response.json()).toEqual(message().message);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "application/json",
      "request-id": expect.stringMatching(/^req_/),
      "anthropic-organization-id": expect.any(String),
      "anthropic-ratelimit-requests-limit": "4000",
      "anthropic-ratelimit-requests-remaining": "3999",
      "anthropic-ratelimit-requests-reset": "2026-11-16T00:01:00Z",
      "anthropic-ratelimit-input-tokens-remaining": String(2_000_000 - 10 - 40 - 20),
      "anthropic-ratelimit-output-tokens-remaining": String(400_000 - 2),
    });
  });

  it("a stream, event by event", async () => {
    const response = await appOf()(post({ body: { ...body, stream: true } }));
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    const text = await response.text();
    expect([...text.matchAll(/^event: (.*)$/gm)].map((match) => match[1])).toEqual([
      "message_start",
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ]);
    expect(text.endsWith("\n\n")).toBe(true);
  });

  it("an error of the simulator, with its code", async () => {
    const outcome: Outcome = {
      kind: "error",
      status: 400,
      type: "invalid_request_error",
      message: "no",
      errorCode: "compaction_block_misplaced",
    };
    const response = await appOf(outcome)(post({ body: { ...body, stream: true } }));
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { message: "no", details: { error_code: "compaction_block_misplaced" } } },
    ]);
  });

  it("an exception is an internal error, and is reported", async () => {
    const simulator: Simulator = {
      ...fakeSimulator(),
      call() {
        throw new RangeError("boom");
      },
    };
    const thrown: unknown[] = [];
    const app = createSimulatorApp({ simulator, onError: (error) => thrown.push(error) });
    expect(await errorOf(await app(post()))).toEqual({
      status: 500,
      type: "api_error",
      message: "Internal server error",
    });
    expect(String(thrown)).toContain("boom");
    expect(await requestsOf(app)).toMatchObject([{ status: 500 }]);
  });

  it("an observer that throws is an internal error too", async () => {
    const onRequest = (): void => {
      throw new Error("observer");
    };
    expect((await errorOf(await appOf(undefined, { onRequest })(post()))).status).toBe(500);
  });
});

describe("delivery", () => {
  const streamed = { ...body, stream: true };
  const eventsOf = (text: string): number => text.match(/^event: /gm)?.length ?? 0;

  /** What arrives before the body fails, and with what. */
  async function readUntilFailure(response: Response): Promise<{ text: string; error: unknown }> {
    const reader = response.body?.getReader();
    let text = "";
    try {
      for (;;) {
        const { done, value } = (await reader?.read()) ?? { done: true };
        if (done) return { text, error: undefined };
        text += new TextDecoder().decode(value);
      }
    } catch (error) {
      return { text, error };
    }
  }

  it("the response begins only after its delay", async () => {
    const started = performance.now();
    const response = await appOf(message({ delayMs: 60 }))(post());
    expect(performance.now() - started).toBeGreaterThanOrEqual(59);
    expect(response.status).toBe(200);
  });

  it("events wait for each other, and arrive one by one", async () => {
    const response = await appOf(message({ eventDelayMs: 20 }))(post({ body: streamed }));
    const started = performance.now();
    expect(eventsOf(await response.text())).toBe(6);
    expect(performance.now() - started).toBeGreaterThanOrEqual(95);
  });

  it("a cut before the response is a network error", async () => {
    const app = appOf(message({ cutAfterEvents: 0 }));
    for (const request of [post(), post({ body: streamed })]) {
      expect((await app(request)).type).toBe("error");
    }
    expect(await requestsOf(app)).toMatchObject([{ journey: "cut" }, { journey: "cut" }]);
  });

  it("a cut in the stream fails the body after so many events", async () => {
    for (const eventDelayMs of [0, 1]) {
      const app = appOf(message({ cutAfterEvents: 3, eventDelayMs }));
      const { text, error } = await readUntilFailure(await app(post({ body: streamed })));
      expect(eventsOf(text)).toBe(3);
      expect(error).toBeInstanceOf(ConnectionCut);
      expect(await requestsOf(app)).toMatchObject([{ status: 200, journey: "cut" }]);
    }
  });

  it("a cut behind the last event lets the stream end", async () => {
    const app = appOf(message({ cutAfterEvents: 7 }));
    expect(eventsOf(await (await app(post({ body: streamed }))).text())).toBe(6);
    expect(await requestsOf(app)).toMatchObject([{ journey: "complete" }]);
  });

  it("a cut in a whole response leaves half of it", async () => {
    const { text, error } = await readUntilFailure(await appOf(message({ cutAfterEvents: 1 }))(post()));
    expect(error).toBeInstanceOf(ConnectionCut);
    const whole = JSON.stringify(message().message);
    expect(whole.startsWith(text) && text.length < whole.length && text !== "").toBe(true);
  });

  it("an error event ends the stream, or is the whole answer", async () => {
    const errorAfterEvents = { events: 2, type: "overloaded_error", message: "Overloaded" };
    const cutLater = appOf(message({ errorAfterEvents, cutAfterEvents: 5 }));
    expect(eventsOf(await (await cutLater(post({ body: streamed }))).text())).toBe(3);
    const app = appOf(message({ errorAfterEvents }));
    const text = await (await app(post({ body: streamed }))).text();
    expect(text).toMatch(
      /event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n$/,
    );
    expect(await errorOf(await app(post()))).toMatchObject({ status: 529, type: "overloaded_error" });
    expect(await requestsOf(app)).toMatchObject([{ journey: "error-event" }, { status: 529 }]);
  });

  it("a client that goes away stops the stream and its timers", async () => {
    const app = appOf(message({ eventDelayMs: 10_000 }));
    const client = new AbortController();
    const response = await app(post({ body: streamed, signal: client.signal }));
    const reading = readUntilFailure(response);
    await sleep(20);
    client.abort();
    const { text, error } = await reading;
    expect([eventsOf(text), (error as Error).name]).toEqual([1, "AbortError"]);
    expect(await requestsOf(app)).toMatchObject([{ journey: "aborted" }]);
  });

  it("a reader that stops stops the stream; one that leaves during the delay gets no response", async () => {
    const app = appOf(message({ eventDelayMs: 10_000 }));
    const reader = (await app(post({ body: streamed }))).body?.getReader();
    await reader?.read();
    const waiting = reader?.read();
    await reader?.cancel();
    expect((await waiting)?.done).toBe(true);
    const client = new AbortController();
    const late = appOf(message({ delayMs: 10_000 }));
    const response = late(post({ signal: client.signal }));
    await sleep(20);
    client.abort();
    expect((await response).type).toBe("error");
    expect([...(await requestsOf(app)), ...(await requestsOf(late))]).toMatchObject([
      { journey: "aborted" },
      { journey: "aborted" },
    ]);
  });
});

describe("faults on demand", () => {
  it("hit the requests they are for, and nothing else", async () => {
    const simulator = fakeSimulator();
    const app = createSimulatorApp({ simulator, clock: "manual" });
    await app(post());
    await control(app, "faults", { faults: "429@3:2s,529@4-5,500@6,413@7,401@8,cut@9" });
    const statuses: number[] = [];
    for (let number = 2; number <= 10; number += 1) {
      await app(post({ path: "/v1/messages/count_tokens" }));
      const response = await app(post());
      statuses.push(response.status);
      if (response.status === 429) {
        expect(response.headers.get("retry-after")).toBe("2");
        expect(response.headers.get("anthropic-ratelimit-input-tokens-remaining")).toBe("0");
        expect(response.headers.get("anthropic-ratelimit-input-tokens-reset")).toBe("2026-11-16T00:00:02Z");
        expect((await errorOf(response)).message).toMatch(
          /^This request would exceed the rate limit for your organization \([0-9a-f-]{36}\) of 2,000,000 input tokens per minute\. /,
        );
      }
    }
    expect(statuses).toEqual([200, 429, 529, 529, 500, 413, 401, 0, 200]);
    // An error on demand does not reach the simulator; a cut connection does.
    expect(simulator.calls.filter(({ endpoint }) => endpoint === "messages")).toHaveLength(4);
  });

  it("the next ones, in JSON; a new list replaces the old one", async () => {
    const app = appOf();
    await control(app, "faults", { faults: [{ fault: "500", at: "+9" }] });
    expect((await app(post())).status).toBe(500);
    expect(await control(app, "faults", { faults: [{ fault: "529", at: "+1" }] })).toEqual({
      requests: 1,
      faults: [{ fault: "529", at: 2 }],
    });
    expect((await app(post())).status).toBe(529);
    expect((await app(post())).status).toBe(200);
  });

  it("disturb the delivery", async () => {
    const app = appOf();
    await control(app, "faults", { faults: "delay@1:40ms,slow@1:10ms,error@1:2:api_error" });
    const started = performance.now();
    const text = await (await app(post({ body: { ...body, stream: true } }))).text();
    expect(performance.now() - started).toBeGreaterThanOrEqual(58);
    expect(text).toContain('"error":{"type":"api_error","message":"Internal server error"}');
    expect(await requestsOf(app)).toMatchObject([{ faults: ["delay", "slow", "error"] }]);
  });
});

describe("control", () => {
  it("lists requests with their verdicts, and sums them up", async () => {
    const app = appOf(undefined, { log: createRequestLog(2) });
    for (const request of [post(), post(), post({ body: "{" }), get("/nowhere")]) await app(request);
    const records = await requestsOf(app);
    expect(records.map(({ sequence, status }) => [sequence, status])).toEqual([
      [3, 400],
      [4, 404],
    ]);
    await app(post());
    const { requests } = (await control(app, "requests?since=4")) as { requests: unknown[] };
    expect(requests).toMatchObject([
      { sequence: 5, model: "claude-opus-5", path: "/v1/messages", verdict: message().verdict, error: null },
    ]);
    const stats = await control(app, "stats");
    expect(stats).toMatchObject({
      requests: 5,
      rejected: 2,
      input: 30,
      cacheRead: 150,
      output: 6,
      cost: 1.5,
    });
    expect(stats["inputEquivalents"]).toBeCloseTo(30 + 1.25 * 120 + 2 * 60 + 0.1 * 150 + 5 * 6);
  });

  it("moves the clock", async () => {
    const app = appOf();
    const before = (await control(app, "clock"))["now"] as number;
    expect(await control(app, "clock", { advanceMs: 300_000 })).toEqual({
      now: before + 300_000,
      time: "2026-11-16T00:05:00.000Z",
    });
    for (const advanceMs of [-1, "1", null, 1e300]) {
      expect(await control(app, "clock", { advanceMs })).toMatchObject({ type: "error" });
    }
  });

  it("lets real time pass, unless the clock is a manual one", async () => {
    const simulator = fakeSimulator();
    const started = performance.now();
    const app = createSimulatorApp({ simulator });
    const before = simulator.now();
    await sleep(30);
    await app(post());
    expect(simulator.now() - before).toBeGreaterThanOrEqual(28);
    expect(simulator.now() - before).toBeLessThanOrEqual(performance.now() - started + 1000);
  });

  it("resets", async () => {
    const app = appOf();
    await control(app, "faults", { faults: "500@2-" });
    await app(post());
    expect(await control(app, "reset", {})).toEqual({ reset: true });
    expect(await requestsOf(app)).toEqual([]);
    expect(await control(app, "stats")).toMatchObject({ requests: 0, cost: 0 });
    expect(await control(app, "faults")).toEqual({ requests: 0, faults: [] });
    expect((await app(post())).status).toBe(200);
  });

  it.each([
    ["an origin", "http://localhost/__sim/reset", { origin: "https://example.com" }],
    ["an origin on this machine", "http://localhost/__sim/reset", { origin: "http://localhost:3000" }],
    ["another host", "http://example.com/__sim/reset", {}],
    ["another host in the header", "http://localhost/__sim/reset", { host: "evil.example:80" }],
    ["a host that only begins like ours", "http://127.0.0.1.example.com/__sim/reset", {}],
    ["another host in the URL", "http://evil.example/__sim/reset", { host: "localhost" }],
  ])("refuses %s", async (_, url, headers) => {
    const response = await appOf()(new Request(url, { method: "POST", headers }));
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ type: "error", error: { type: "permission_error" } });
  });

  it("answers under names of this machine, and under any where that was asked for", async () => {
    const statusOf = async (app: SimulatorApp, url: string, headers = {}): Promise<number> =>
      (await app(new Request(url, { headers }))).status;
    for (const host of ["localhost:8080", "127.0.0.1", "[::1]:9", "sim.localhost"]) {
      expect(await statusOf(appOf(), `http://${host}/__sim/stats`, { host })).toBe(200);
    }
    const open = appOf(undefined, { remoteControl: true });
    expect(await statusOf(open, "http://example.com/__sim/stats")).toBe(200);
    expect(await statusOf(open, "http://example.com/__sim/stats", { origin: "https://example.com" })).toBe(
      403,
    );
  });

  it.each([
    ["POST", "requests", 405],
    ["GET", "reset", 405],
    ["GET", "nothing", 404],
    ["GET", "requests?since=x", 400],
    ["GET", "constructor", 404],
  ])("%s %s: %i", async (method, path, status) => {
    const init = method === "POST" ? { method, body: "{}" } : {};
    const response = await appOf()(get(`/__sim/${path}`, init));
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ type: "error" });
  });

  it("says what is wrong with faults", async () => {
    expect(await control(appOf(), "faults", { faults: "429@x" })).toMatchObject({
      error: { message: '"429@x" has no such request: "x" is not a number, a range like 5-7, or +2' },
    });
    expect(await control(appOf(), "faults", {})).toMatchObject({ type: "error" });
  });
});
