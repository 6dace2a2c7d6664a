import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeResponse } from "./response.js";

const body = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-opus-5-5",
  content: [
    { type: "text", text: "hello" },
    { type: "tool_use", id: "t", name: "read", input: {} },
    { type: "something_new", field: 1 },
  ],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 2 },
};

describe("decodeResponse", () => {
  it("gives back a message as the same reference", () => {
    const decoded = decodeResponse(body);
    expect(decoded.kind === "message" && decoded.message).toBe(body);
  });

  it("completes the stop fields where a server leaves them out", () => {
    const { stop_reason: _, stop_sequence: __, ...rest } = body;
    expect(decodeResponse(rest)).toEqual({
      kind: "message",
      message: { ...rest, stop_reason: null, stop_sequence: null },
    });
  });

  it("knows an error body", () => {
    const error = { type: "error", error: { type: "api_error", message: "oh" }, request_id: "req_1" };
    expect(decodeResponse(error)).toEqual({ kind: "error-body", body: error });
  });

  it.each([
    [null, ""],
    ["text", ""],
    [[body], ""],
    [{ type: "error" }, "error"],
    [{ type: "error", error: { type: 1 } }, "error.type"],
    [{ ...body, type: "completion" }, "type"],
    [{ ...body, role: "user" }, "role"],
    [{ ...body, id: undefined }, "id"],
    [{ ...body, stop_reason: 3 }, "stop_reason"],
    [{ ...body, content: "hello" }, "content"],
    [{ ...body, content: [null] }, "content.0"],
    [{ ...body, content: [{ text: "" }] }, "content.0.type"],
    [{ ...body, content: [{ type: "text", text: "" }, { type: "text" }] }, "content.1.text"],
    [{ ...body, content: [{ type: "tool_use", id: "a", name: "b", input: "{}" }] }, "content.0.input"],
    [{ ...body, usage: undefined }, "usage"],
    [{ ...body, usage: { input_tokens: 1, output_tokens: null } }, "usage.output_tokens"],
  ])("says what is wrong: %j", (value, path) => {
    expect(decodeResponse(value)).toMatchObject({ kind: "malformed", path });
  });

  it("never throws", () => {
    const part = fc.oneof(fc.anything(), fc.constantFrom("message", "assistant", "error", [], {}));
    const near = fc.dictionary(fc.constantFrom(...Object.keys(body), "error", "__proto__"), part);
    fc.assert(
      fc.property(
        fc.oneof(
          fc.anything(),
          near,
          near.map((parts) => ({ ...body, ...parts })),
        ),
        (value) => {
          expect(["message", "error-body", "malformed"]).toContain(decodeResponse(value).kind);
        },
      ),
    );
  });
});
