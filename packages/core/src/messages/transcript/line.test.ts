import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeLine, encodeLine } from "./line.js";

const envelope = { uuid: "u", parentUuid: null, sessionId: "s", timestamp: "2026-11-15T10:00:00.000Z" };

describe("one line", () => {
  it("keeps fields that nobody here knows", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (unknown) => {
        const line = JSON.stringify({
          ...unknown,
          ...envelope,
          type: "user",
          message: { role: "user", content: "x" },
        });
        const decoded = decodeLine(line);
        expect(decoded.kind).toBe("message");
        if (decoded.kind === "message") expect(encodeLine(decoded.message)).toBe(line);
      }),
      { numRuns: 10_000 },
    );
  });

  it("keeps entries of unknown types", () => {
    const line = '{"type":"summary","summary":"x","leafUuid":"y"}';
    const decoded = decodeLine(line);
    expect(decoded).toEqual({ kind: "foreign", entry: JSON.parse(line) });
    if (decoded.kind === "foreign") expect(encodeLine(decoded.entry)).toBe(line);
  });

  it("is one line, whatever is in it", () => {
    const message = {
      ...envelope,
      type: "user",
      message: { role: "user", content: "a\nb\r\u2028\ud800" },
    } as const;
    expect(encodeLine(message)).not.toMatch(/[\n\r]/);
    expect(decodeLine(encodeLine(message))).toEqual({ kind: "message", message });
  });

  it.each([
    ["{", "not valid JSON"],
    ["[]", "not a JSON object"],
    ["7", "not a JSON object"],
    ["{}", "no type"],
    ['{"type":"user"}', "user message without uuid"],
    ['{"type":"user","uuid":"u"}', "user message without message"],
    ['{"type":"assistant","uuid":"u","message":{"content":5}}', "assistant message without content"],
    ['{"type":"attachment","uuid":"u"}', "attachment message without attachment"],
    ['{"type":"system","uuid":"u"}', "system message without subtype"],
  ])("%s is damaged", (line, reason) => {
    expect(decodeLine(line)).toEqual({ kind: "damaged", reason });
  });

  it("never throws", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (line) => {
        decodeLine(line);
      }),
      { numRuns: 10_000 },
    );
  });
});
