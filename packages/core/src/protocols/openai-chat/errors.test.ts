import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeChatError } from "./errors.js";

const failed = (message: string, more: object = {}): unknown => ({ error: { message, ...more } });

describe("decodeChatError", () => {
  it.each([
    [400, "invalid-request", false],
    [401, "authentication", false],
    [402, "billing", false],
    [403, "permission", false],
    [404, "not-found", false],
    [408, "timeout", true],
    [409, "conflict", true],
    [413, "request-too-large", false],
    [418, "invalid-request", false],
    [422, "invalid-request", false],
    [429, "rate-limit", true],
    [500, "api", true],
    [502, "api", true],
    [503, "overloaded", true],
    [504, "timeout", true],
    [529, "overloaded", true],
    [undefined, "api", true],
  ] as const)("takes status %s for %s", (status, kind, retryable) => {
    for (const body of [
      failed("oh", { type: "of_tomorrow", code: "constructor" }),
      "<html>",
      undefined,
      null,
    ]) {
      expect(decodeChatError({ status, body })).toMatchObject({ kind, retryable });
    }
  });

  it.each([
    [{ type: "invalid_request_error", code: "invalid_api_key" }, 401, "authentication"],
    [{ type: "invalid_request_error", code: "model_not_found" }, 404, "not-found"],
    [{ type: "invalid_request_error" }, 400, "invalid-request"],
    [{ type: "invalid_request_error" }, undefined, "invalid-request"],
    [{ type: "unknown_error", code: "invalid_request_error" }, 402, "billing"],
    [{ type: "insufficient_quota", code: "insufficient_quota" }, 429, "billing"],
    [{ code: "rate_limit_exceeded" }, 400, "rate-limit"],
    [{ type: "engine_overloaded_error" }, 429, "overloaded"],
    [{ status: "RESOURCE_EXHAUSTED" }, undefined, "rate-limit"],
    [{ status: "UNAVAILABLE" }, undefined, "overloaded"],
    [{ code: 429 }, undefined, "rate-limit"],
    [{ code: "503" }, undefined, "overloaded"],
    [{ http_status_code: 422 }, undefined, "invalid-request"],
    [{ type: "server_error" }, undefined, "api"],
  ] as const)("takes %j with status %s for %s", (fields, status, kind) => {
    expect(decodeChatError({ status, body: failed("oh", fields) }).kind).toBe(kind);
  });

  it("does not ask again where a limit is smaller than the request", () => {
    const limit = (text: string) => decodeChatError({ status: 429, body: failed(text) });
    expect(limit("tokens per min (TPM): Limit 30000, Requested 30601.")).toMatchObject({
      kind: "rate-limit",
      retryable: false,
    });
    expect(limit("tokens per min (TPM): Limit 30000, Used 29000, Requested 3619.").retryable).toBe(true);
    expect(limit("tokens per min (TPM): Limit 30000, Requested 300.").retryable).toBe(true);
  });

  it("tells what there is to tell", () => {
    const headers = new Headers({ "retry-after": "2", "x-request-id": "req_1" });
    const body = failed("slow down", { type: "requests", code: "rate_limit_exceeded" });
    expect(decodeChatError({ status: 429, headers, body })).toEqual({
      kind: "rate-limit",
      message: "slow down",
      retryable: true,
      retryAfterMs: 2000,
      status: 429,
      type: "requests",
      errorCode: "rate_limit_exceeded",
      requestId: "req_1",
    });
    expect(decodeChatError({ body: { message: "oh", request_id: "req_2" } }).requestId).toBe("req_2");
  });

  it("does what the server says about trying again", () => {
    const advised = (word: string): boolean =>
      decodeChatError({ status: 500, headers: new Headers({ "x-should-retry": word }), body: null })
        .retryable;
    expect([advised("true"), advised("false"), advised("maybe")]).toEqual([true, false, true]);
  });

  it.each([
    [{ error: "oh" }, "oh"],
    [{ message: "oh" }, "oh"],
    [{ error: { message: "oh" } }, "oh"],
    [{ error: {}, message: "oh" }, "oh"],
    [[{ error: { message: "oh" } }], "oh"],
    [{ detail: "oh" }, "oh"],
    [{ detail: [{ loc: ["body"], msg: "oh", input: "a secret" }, { msg: "no" }] }, "oh; no"],
    ['{"message":"oh"}', "oh"],
    ["oh", "oh"],
    ["7", "7"],
    [{}, "no message, status 500"],
    ["", "no message, status 500"],
  ])("finds the message in %j", (body, message) => {
    expect(decodeChatError({ status: 500, body }).message).toBe(message);
  });

  it("never throws", () => {
    const part = fc.oneof(
      fc.anything({ withBigInt: true }),
      fc.string(),
      fc.constantFrom("rate_limit_exceeded", 429),
    );
    const names = [
      "type",
      "code",
      "message",
      "status",
      "detail",
      "metadata",
      "n_ctx",
      "http_status_code",
    ] as const;
    const error = fc.dictionary(fc.constantFrom(...names, "__proto__"), part);
    const body = fc.oneof(
      part,
      error,
      fc.record({ error: fc.oneof(error, part), request_id: part }),
      fc.array(error),
    );
    const values = fc.dictionary(
      fc.constantFrom("retry-after", "retry-after-ms", "x-request-id"),
      fc.string(),
    );
    fc.assert(
      fc.property(
        fc.record({ status: fc.option(fc.integer(), { nil: undefined }), body, now: fc.double() }),
        values,
        (response, headers) => {
          const get = (name: string): string | null => headers[name] ?? null;
          const failure = decodeChatError({ ...response, headers: { get } });
          expect(typeof failure.message).toBe("string");
          if (failure.retryAfterMs !== undefined) expect(failure.retryAfterMs).toBeGreaterThanOrEqual(0);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
