import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeError, encodeError, errorStatus } from "./errors.js";

const failed = (type: string, message: string): unknown => ({
  type: "error",
  error: { type, message },
  request_id: "req_1",
});

const RATE_LIMIT =
  "This request would exceed the rate limit for your organization (o) of 50,000 input tokens per minute. " +
  "The prompt is too long for it.";

describe("encodeError", () => {
  it("makes the body of an error", () => {
    expect(encodeError({ type: "api_error", message: "oh", requestId: "req_1" })).toEqual({
      type: "error",
      error: { type: "api_error", message: "oh" },
      request_id: "req_1",
    });
    const parts = { status: 404, type: "not_found_error", message: "oh", requestId: "req_1" };
    expect(encodeError({ ...parts, errorCode: "thread_not_found" }).error).toEqual({
      type: "not_found_error",
      message: "oh",
      details: { error_code: "thread_not_found" },
    });
  });

  it("is read back", () => {
    const body = encodeError({
      type: "not_found_error",
      message: "oh",
      errorCode: "thread_not_found",
      requestId: "req_1",
    });
    expect(decodeError({ status: 404, body })).toEqual({
      kind: "not-found",
      message: "oh",
      retryable: false,
      status: 404,
      type: "not_found_error",
      errorCode: "thread_not_found",
      requestId: "req_1",
    });
  });
});

const table = [
  ["invalid_request_error", 400, "invalid-request", false],
  ["authentication_error", 401, "authentication", false],
  ["billing_error", 402, "billing", false],
  ["permission_error", 403, "permission", false],
  ["not_found_error", 404, "not-found", false],
  ["conflict_error", 409, "conflict", true],
  ["request_too_large", 413, "request-too-large", false],
  ["rate_limit_error", 429, "rate-limit", true],
  ["api_error", 500, "api", true],
  ["timeout_error", 504, "timeout", true],
  ["overloaded_error", 529, "overloaded", true],
] as const;

describe.each(table)("%s", (type, status, kind, retryable) => {
  it(`goes with ${status} and means ${kind}`, () => {
    expect(errorStatus(type)).toBe(status);
    expect(decodeError({ status, body: failed(type, "oh") })).toMatchObject({
      kind,
      retryable,
      status,
      type,
    });
  });

  it("is known by its type alone, as in a stream, and by its status alone", () => {
    expect(decodeError({ body: failed(type, "oh") })).toMatchObject({ kind, retryable });
    expect(decodeError({ status, body: "<html>" })).toMatchObject({ kind, retryable, message: "<html>" });
    expect(decodeError({ status, body: undefined })).toMatchObject({ kind, retryable });
  });
});

describe("decodeError", () => {
  it("has 500 for a type nobody knows", () => {
    expect(errorStatus("error_of_tomorrow")).toBe(500);
    expect(errorStatus("constructor")).toBe(500);
  });

  it.each([
    [418, "invalid-request", false],
    [408, "timeout", true],
    [503, "api", true],
    [undefined, "api", true],
  ] as const)("judges status %s with a type nobody knows", (status, kind, retryable) => {
    expect(decodeError({ status, body: failed("constructor", "oh") })).toMatchObject({ kind, retryable });
  });

  it.each([
    ["prompt is too long: 208423 tokens > 200000 maximum", { actualTokens: 208_423, maximumTokens: 200_000 }],
    ["messages: Prompt is too long: 1,000,123 tokens > 1,000,000 maximum", { actualTokens: 1_000_123 }],
    ["prompt is too long", {}],
    [
      "input length and `max_tokens` exceed context limit: 188059 + 20000 > 200000, decrease input length or `max_tokens` and try again",
      { actualTokens: 208_059, maximumTokens: 200_000, requestedOutputTokens: 20_000 },
    ],
    ["Input is too long for requested model.", {}],
  ])("knows an overflow: %s", (message, figures) => {
    const body = failed("invalid_request_error", message);
    const expected = { kind: "context-overflow", retryable: false, message, ...figures };
    expect(decodeError({ status: 400, body })).toMatchObject(expected);
    expect(decodeError({ body })).toMatchObject(expected);
    expect(decodeError({ status: 413, body: failed("request_too_large", message) })).toMatchObject(expected);
    expect(decodeError({ status: 400, body: message })).toMatchObject(expected);
    expect(decodeError({ status: 400, body: JSON.stringify(body) })).toMatchObject(expected);
  });

  it("has no figures where the text has none", () => {
    const failure = decodeError({ status: 400, body: failed("invalid_request_error", "prompt is too long") });
    expect(failure).not.toHaveProperty("actualTokens");
    expect(failure).not.toHaveProperty("maximumTokens");
  });

  it.each([
    "max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens for claude-opus-4-5",
    "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a",
    "image exceeds 10 MB maximum: 11000000 bytes > 10485760 bytes",
  ])("takes for no overflow: %s", (message) => {
    expect(decodeError({ status: 400, body: failed("invalid_request_error", message) }).kind).toBe(
      "invalid-request",
    );
  });

  it("takes a rate limit for no overflow, whatever its text says", () => {
    expect(decodeError({ status: 429, body: failed("rate_limit_error", RATE_LIMIT) }).kind).toBe(
      "rate-limit",
    );
    expect(decodeError({ body: failed("rate_limit_error", RATE_LIMIT) }).kind).toBe("rate-limit");
    expect(decodeError({ status: 429, body: RATE_LIMIT }).kind).toBe("rate-limit");
    expect(decodeError({ status: 429, body: failed("invalid_request_error", RATE_LIMIT) }).kind).toBe(
      "rate-limit",
    );
  });

  it("does not retry against a spend limit", () => {
    const body = encodeError({
      type: "rate_limit_error",
      message: "limit",
      errorCode: "enforced_spend_limit_reached",
      requestId: "req_1",
    });
    expect(decodeError({ status: 429, body })).toMatchObject({ kind: "rate-limit", retryable: false });
  });

  it("does what the server says about trying again", () => {
    const advised = (word: string): boolean =>
      decodeError({ status: 500, headers: new Headers({ "x-should-retry": word }), body: null }).retryable;
    expect([advised("true"), advised("false"), advised("maybe")]).toEqual([true, false, true]);
  });

  const now = Date.UTC(2026, 10, 15, 12, 0, 0);
  it.each([
    [{ "retry-after-ms": "1500", "retry-after": "9" }, 1500],
    [{ "retry-after-ms": "soon", "retry-after": "9" }, 9000],
    [{ "retry-after": "1.5" }, 1500],
    [{ "retry-after": "0" }, 0],
    [{ "retry-after": "Sun, 15 Nov 2026 12:00:07 GMT" }, 7000],
    [{ "retry-after": "Sun, 15 Nov 2026 11:00:00 GMT" }, 0],
    [{ "retry-after": "-5" }, undefined],
    [{ "retry-after": "1e99" }, undefined],
    [{ "retry-after": "never" }, undefined],
    [{}, undefined],
  ])("reads how long to wait: %j", (headers, expected) => {
    const response = { status: 429, headers: new Headers(headers), body: null };
    expect(decodeError({ ...response, now }).retryAfterMs).toBe(expected);
  });

  it("needs the time to read a date", () => {
    const headers = new Headers({ "retry-after": "Sun, 15 Nov 2026 12:00:07 GMT" });
    expect(decodeError({ status: 429, headers, body: null }).retryAfterMs).toBeUndefined();
  });

  it("takes the request id from the header before the body", () => {
    const body = failed("api_error", "oh");
    expect(
      decodeError({ status: 500, body, headers: new Headers({ "request-id": "req_2" }) }).requestId,
    ).toBe("req_2");
    expect(decodeError({ status: 500, body, headers: new Headers() }).requestId).toBe("req_1");
  });

  it.each([
    [{ error: "oh" }, "oh"],
    [{ message: "oh" }, "oh"],
    [{ error: { message: "oh" } }, "oh"],
    [{ error: {}, message: "oh" }, "oh"],
    [{ detail: "oh" }, "oh"],
    ['{"message":"oh"}', "oh"],
    ["oh", "oh"],
    [{}, "no message, status 500"],
    ["", "no message, status 500"],
  ])("finds the message in %j", (body, message) => {
    expect(decodeError({ status: 500, body }).message).toBe(message);
  });

  it("never throws", () => {
    const part = fc.oneof(fc.anything(), fc.string(), fc.constantFrom(...table.map(([type]) => type)));
    const error = fc.dictionary(fc.constantFrom("type", "message", "details", "__proto__"), part);
    const body = fc.oneof(
      fc.anything(),
      fc.record({ type: part, error: fc.oneof(error, part), request_id: part }),
    );
    const headers = fc.dictionary(
      fc.constantFrom("retry-after", "retry-after-ms", "request-id", "x-should-retry"),
      fc.string(),
    );
    fc.assert(
      fc.property(
        fc.record({ status: fc.option(fc.integer(), { nil: undefined }), body, now: fc.double() }),
        headers,
        (response, values) => {
          const get = (name: string): string | null => values[name] ?? null;
          const failure = decodeError({ ...response, headers: { get } });
          expect(typeof failure.message).toBe("string");
          if (failure.retryAfterMs !== undefined) expect(failure.retryAfterMs).toBeGreaterThanOrEqual(0);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
