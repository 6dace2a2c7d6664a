import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ApiFailure, PlainFailure } from "../../messages/call/failure.js";
import type { ModelResponse } from "../../messages/call/response.js";
import type { BilledCall } from "../../messages/billed-calls.js";
import { billCall, sourceBeside } from "./bill-call.js";
import { createCallMeter, type CallMeter } from "./call-meter.js";

const request = {
  model: "asked",
  max_tokens: 10,
  system: "ssss",
  tools: [{ name: "t" }],
  messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "mmmmmm" }] }],
};
const response = (usage: ModelResponse["usage"]): ModelResponse => ({
  id: "m",
  type: "message",
  role: "assistant",
  model: "served",
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage,
});
const begun = response({ input_tokens: 7, output_tokens: 1, cache_read_input_tokens: 90 });
const whole = response({ input_tokens: 7, output_tokens: 30, cache_read_input_tokens: 90 });
const failure = (more: Partial<PlainFailure> = {}): ApiFailure => ({
  kind: "connection",
  message: "broke",
  retryable: true,
  ...more,
});

/** A token for each character. */
const estimator = {
  block: (block: unknown): number =>
    typeof block === "object" && block !== null && "text" in block ? String(block.text).length : 1,
};
const billed = (meter: CallMeter): readonly BilledCall[] =>
  meter.sent().map((sent) => billCall(sent, { source: "sdk", estimator }));

const sent = { kind: "sent" } as const;
const text = (value: string) => ({ kind: "text", index: 0, text: value }) as const;

describe("a call meter", () => {
  it("bills an answer by what the API says", () => {
    const meter = createCallMeter(request);
    meter.onProgress(sent);
    meter.see({ kind: "start", message: begun });
    meter.see(text("hi"));
    meter.see({ kind: "message", message: whole });
    expect(billed(meter)).toEqual([{ source: "sdk", model: "served", usage: whole.usage }]);
    expect(meter.cutOff()).toEqual([]);
  });

  it("bills nothing for what was refused, or never sent", () => {
    for (const why of [failure({ status: 429 }), failure({ status: 529 }), failure({ isUnsent: true })]) {
      const meter = createCallMeter(request);
      meter.onProgress(sent);
      meter.onRetry({ attempt: 1, failure: why, waitMs: 1 });
      meter.onProgress(sent);
      meter.see({ kind: "error", failure: why });
      expect(meter.sent()).toEqual([]);
    }
    const early = createCallMeter(request);
    early.see({ kind: "error", failure: failure({ kind: "aborted" }) });
    expect(early.sent()).toEqual([]);
  });

  it("bills what was cut off by the usage of its input and what had arrived of its output", () => {
    const meter = createCallMeter(request);
    meter.onProgress(sent);
    meter.see({ kind: "start", message: begun });
    meter.see(text("hel"));
    meter.see({ kind: "thinking", index: 0, thinking: "hm" });
    meter.see({ kind: "tool-input", index: 1, json: "{" });
    meter.see({ kind: "error", failure: failure({ status: 529 }) });
    const [only, ...others] = billed(meter);
    expect(others).toEqual([]);
    expect(only).toMatchObject({
      model: "served",
      estimated: "output",
      usage: { input_tokens: 7, cache_read_input_tokens: 90, output_tokens: 6 },
    });
  });

  it("bills what nothing came of by the size of the request", () => {
    const meter = createCallMeter(request);
    meter.onProgress(sent);
    expect(billed(meter)).toEqual([
      { source: "sdk", model: "asked", estimated: "all", usage: { input_tokens: 11, output_tokens: 0 } },
    ]);
  });

  it("bills the start of a server that says nothing of its input by the size of the request", () => {
    const meter = createCallMeter(request);
    meter.see({ kind: "start", message: response({ input_tokens: 0, output_tokens: 0 }) });
    meter.see(text("hello"));
    meter.see({ kind: "message", message: response({ input_tokens: 0, output_tokens: 0 }) });
    expect(billed(meter)).toMatchObject([{ estimated: "all", model: "served", usage: { output_tokens: 5 } }]);
  });

  it("takes the whole usage for what it is, although the end never came", () => {
    const meter = createCallMeter(request);
    meter.onProgress(sent);
    meter.onProgress({ kind: "start", message: begun });
    meter.onProgress({ kind: "usage", usage: whole.usage });
    meter.onRetry({ attempt: 1, failure: failure(), waitMs: 1 });
    meter.onProgress(sent);
    meter.see({ kind: "message", message: whole });
    const answer = { source: "sdk", model: "served", usage: whole.usage };
    expect(billed(meter)).toEqual([answer, answer]);
    expect(meter.cutOff()).toHaveLength(1);
  });

  it("property: every attempt that was sent is billed once, but for those that were refused", () => {
    const attempt = fc.record({
      isSent: fc.boolean(),
      isBegun: fc.boolean(),
      isRefused: fc.boolean(),
      isYielded: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(attempt, { maxLength: 8 }), fc.boolean(), (attempts, isAnswered) => {
        const meter = createCallMeter(request);
        let expected = 0;
        for (const { isSent, isBegun, isRefused, isYielded } of attempts) {
          if (isSent) meter.onProgress(sent);
          if (isSent && isBegun) meter.onProgress({ kind: "start", message: begun });
          if (isSent && isBegun && isYielded) meter.see({ kind: "start", message: begun });
          if (isSent && (isBegun || !isRefused)) expected += 1;
          const why = failure(isRefused ? { status: 500 } : {});
          meter.onRetry({ attempt: 1, failure: why, waitMs: 0 });
        }
        if (isAnswered) meter.see({ kind: "message", message: whole });
        expect(meter.cutOff()).toHaveLength(expected);
        expect(meter.sent()).toHaveLength(expected + (isAnswered ? 1 : 0));
      }),
    );
  });
});

it("names whose compaction it is where it is not the main thread's", () => {
  expect(sourceBeside("sdk", "compact")).toBe("compact");
  expect(sourceBeside("repl_main_thread", "session_memory")).toBe("session_memory");
  expect(sourceBeside("agent:general", "compact")).toBe("agent:general/compact");
});
