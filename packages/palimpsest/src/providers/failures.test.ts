import { describe, expect, it } from "vitest";
import { presentable, thrownFailure } from "./failures.js";

const withCode = (code: string): Error => Object.assign(new Error("with the secret sk-1"), { code });

describe("thrownFailure", () => {
  it.each([
    ["ECONNREFUSED", "connection", "the server refused the connection (ECONNREFUSED)", true],
    ["ECONNRESET", "connection", "the connection broke (ECONNRESET)", false],
    ["ENOTFOUND", "connection", "the name of the server could not be resolved (ENOTFOUND)", true],
    [
      "UND_ERR_CONNECT_TIMEOUT",
      "timeout",
      "the connection could not be made in time (UND_ERR_CONNECT_TIMEOUT)",
      true,
    ],
    ["UND_ERR_BODY_TIMEOUT", "timeout", "the server sent nothing for too long (UND_ERR_BODY_TIMEOUT)", false],
    [
      "DEPTH_ZERO_SELF_SIGNED_CERT",
      "connection",
      "no secure connection could be made (DEPTH_ZERO_SELF_SIGNED_CERT)",
      true,
    ],
    ["ERR_OTHER", "connection", "the connection failed (ERR_OTHER)", false],
  ])("%s", (code, kind, message, isUnsent) => {
    const expected = { kind, message, retryable: true, ...(isUnsent ? { isUnsent } : {}) };
    expect(thrownFailure(withCode(code))).toEqual(expected);
    expect(thrownFailure(new TypeError("fetch failed", { cause: withCode(code) }))).toEqual(expected);
    expect(thrownFailure(new Error("x", { cause: new AggregateError([withCode(code)]) }))).toEqual(expected);
  });

  it("repeats no text of an error, and takes anything", () => {
    expect(thrownFailure(new TypeError("Bearer sk-1")).message).toBe("the connection failed (TypeError)");
    expect(thrownFailure(withCode("sk-1 is no code")).message).toBe("the connection failed (Error)");
    const circular: { cause?: unknown } = {};
    circular.cause = circular;
    for (const thrown of [undefined, null, "sk-1", 1, circular]) {
      expect(thrownFailure(thrown).message).toBe("the connection failed");
    }
  });
});

describe("presentable", () => {
  it("hides secrets, and cuts what is too long", () => {
    const failure = { kind: "api", message: `key sk-1, sk-1 ${"x".repeat(5000)}`, retryable: true } as const;
    const { message } = presentable(failure, ["sk-1", ""]);
    expect(message).toMatch(/^key \[secret\], \[secret\] x+…$/);
    expect(message.length).toBe(2001);
    expect(failure.message).toContain("sk-1");
  });
});
