import { describe, expect, it } from "vitest";
import type { ModelResponse } from "../messages/call/response.js";
import { askWithRetries, type AskRetries } from "./ask-with-retries.js";
import { failureOf, FailureError } from "./failure-of.js";

const message = { id: "msg_1", content: [] } as unknown as ModelResponse;
const busy = (): Error => Object.assign(new Error("busy"), { status: 529 });

/** Asks until one of these is no error; time passes only where it is waited for. */
async function ask(outcomes: readonly unknown[], more: Partial<AskRetries> = {}) {
  const waits: number[] = [];
  let attempts = 0;
  const output = await askWithRetries(
    async () => {
      const outcome = outcomes[(attempts += 1) - 1];
      if (outcome instanceof Error) throw outcome;
      return message;
    },
    {
      call: {},
      settings: {},
      now: () => 0,
      ...more,
      ports: { sleep: async (ms) => void waits.push(ms), random: () => 0, ...more.ports },
    },
  );
  return { output, waits, attempts: () => attempts };
}

describe("a call beside a framework", () => {
  it("is made as often as the settings say, and no more", async () => {
    const { output, waits, attempts } = await ask(Array.from({ length: 9 }, busy), {
      settings: { maxRetries: 2, baseMs: 100 },
    });
    expect(output).toMatchObject({ kind: "error", failure: { kind: "overloaded" } });
    expect([waits, attempts()]).toEqual([[100, 200], 3]);
  });

  it("waits a little less by chance, and never for a server that asks for too long", async () => {
    expect((await ask([busy()], { ports: { random: () => 1 } })).waits).toEqual([375]);
    const patient = Object.assign(new Error("later"), { status: 429, headers: { "Retry-After": "61" } });
    expect(await ask([patient])).toMatchObject({ output: { kind: "error" }, waits: [] });
  });

  it("ends when it is called off, before it is made and while it waits", async () => {
    const controller = new AbortController();
    const sleep = async (): Promise<void> => {
      controller.abort();
      throw new Error("woken up");
    };
    const call = { signal: controller.signal };
    const { output, attempts } = await ask([busy(), message], { call, ports: { sleep } });
    expect(output).toMatchObject({ kind: "error", failure: { kind: "aborted" } });
    expect(attempts()).toBe(1);
    const late = await ask([message], { call });
    expect([late.output.kind, late.attempts()]).toEqual(["error", 0]);
  });

  it("wakes up from a wait on the machine's own clock when it is called off", async () => {
    const controller = new AbortController();
    const asked = askWithRetries(() => Promise.reject(busy()), {
      call: { signal: controller.signal, onRetry: () => queueMicrotask(() => controller.abort()) },
      settings: { baseMs: 60_000, maxMs: 60_000 },
      ports: {},
      now: () => 0,
    });
    expect(await asked).toMatchObject({ failure: { kind: "aborted" } });
  });

  it("goes on where whoever is told of a retry throws", async () => {
    const onRetry = (): void => {
      throw new Error("not my day");
    };
    expect((await ask([busy(), message], { call: { onRetry } })).output).toEqual({
      kind: "message",
      message,
    });
  });
});

describe("what an exception means", () => {
  const error = (fields: object, text = "text") => Object.assign(new Error(text), fields);
  it.each<[string, unknown, object]>([
    [
      "the AI SDK's",
      error({ statusCode: 429, responseHeaders: { "retry-after": "2" }, responseBody: "{}" }),
      { kind: "rate-limit", retryable: true, retryAfterMs: 2000 },
    ],
    [
      "the official SDK's, with a date",
      error({ status: 503, headers: new Headers({ "retry-after": "Thu, 01 Jan 1970 00:00:05 GMT" }) }),
      { kind: "api", retryable: true, retryAfterMs: 4000 },
    ],
    [
      "advice of the server's",
      error({ status: 500, headers: { "x-should-retry": "false" } }),
      { retryable: false },
    ],
    ["wrapped", error({ cause: error({ cause: error({ status: 529 }) }) }), { kind: "overloaded" }],
    [
      "an event in a stream",
      { type: "overloaded_error", message: "busy" },
      { kind: "overloaded", retryable: true },
    ],
    [
      "such an event as an exception",
      error({ error: { type: "error", error: { type: "overloaded_error", message: "busy" } } }),
      { kind: "overloaded", message: "busy", retryable: true },
    ],
    [
      "a connection",
      error({ cause: error({ code: "ECONNREFUSED" }) }),
      { kind: "connection", retryable: true },
    ],
    ["as the AI SDK says it", error({ isRetryable: true }), { kind: "connection", retryable: true }],
    [
      "as the official SDK says it",
      error({ name: "APIConnectionError" }),
      { kind: "connection", retryable: true },
    ],
    ["as fetch says it", new TypeError("fetch failed"), { kind: "connection", retryable: true }],
    ["called off", error({ name: "AbortError" }), { kind: "aborted", retryable: false }],
    ["a fault of the program's", new TypeError("x is not a function"), { retryable: false }],
    [
      "words for a full window",
      new Error("prompt is too long: 9 tokens > 8 maximum"),
      { kind: "context-overflow" },
    ],
    ["no exception at all", "boo", { message: "boo", retryable: false }],
    [
      "one that says it itself",
      new FailureError({ kind: "timeout", message: "slow", retryable: true }),
      { kind: "timeout", retryable: true },
    ],
  ])("%s", (_name, thrown, expected) => {
    expect(failureOf(thrown, 1000)).toMatchObject(expected);
  });
});
