import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeChatUsage } from "./usage.js";

describe("decodeChatUsage", () => {
  it.each([
    ["nothing", undefined, { input_tokens: 0, output_tokens: 0 }],
    [
      "OpenAI",
      {
        prompt_tokens: 2006,
        completion_tokens: 300,
        total_tokens: 2306,
        prompt_tokens_details: { cached_tokens: 1920, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 256 },
      },
      {
        input_tokens: 86,
        cache_read_input_tokens: 1920,
        output_tokens: 300,
        output_tokens_details: { thinking_tokens: 256 },
      },
    ],
    [
      "OpenAI, OpenRouter with cache writes",
      {
        prompt_tokens: 1000,
        completion_tokens: 10,
        prompt_tokens_details: { cached_tokens: 600, cache_write_tokens: 300 },
      },
      {
        input_tokens: 100,
        cache_read_input_tokens: 600,
        cache_creation_input_tokens: 300,
        output_tokens: 10,
      },
    ],
    [
      "DeepSeek",
      { prompt_tokens: 100, completion_tokens: 5, prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 },
      { input_tokens: 36, cache_read_input_tokens: 64, output_tokens: 5 },
    ],
    [
      "DeepSeek without a total",
      { completion_tokens: 5, prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 },
      { input_tokens: 36, cache_read_input_tokens: 64, output_tokens: 5 },
    ],
    [
      "Moonshot",
      { prompt_tokens: 100, completion_tokens: 5, cached_tokens: 90 },
      { input_tokens: 10, cache_read_input_tokens: 90, output_tokens: 5 },
    ],
    [
      "LiteLLM before the Messages API",
      {
        prompt_tokens: 100,
        completion_tokens: 5,
        cache_read_input_tokens: 60,
        cache_creation_input_tokens: 30,
      },
      { input_tokens: 10, cache_read_input_tokens: 60, cache_creation_input_tokens: 30, output_tokens: 5 },
    ],
    [
      "Gemini: reasoning in the total alone",
      { prompt_tokens: 8, completion_tokens: 12, total_tokens: 250 },
      { input_tokens: 8, output_tokens: 242 },
    ],
    [
      "xAI: reasoning beside the completion",
      {
        prompt_tokens: 32,
        completion_tokens: 9,
        total_tokens: 135,
        completion_tokens_details: { reasoning_tokens: 94 },
      },
      { input_tokens: 32, output_tokens: 103, output_tokens_details: { thinking_tokens: 94 } },
    ],
    [
      "vLLM: null details",
      { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9, prompt_tokens_details: null },
      { input_tokens: 7, output_tokens: 2 },
    ],
    [
      "more cached than there was",
      {
        prompt_tokens: 100,
        completion_tokens: 1,
        prompt_tokens_details: { cached_tokens: 120, cache_write_tokens: 9 },
      },
      {
        input_tokens: 0,
        cache_read_input_tokens: 100,
        cache_creation_input_tokens: 0,
        output_tokens: 1,
      },
    ],
    [
      "what cannot be",
      {
        prompt_tokens: -5,
        completion_tokens: "7",
        total_tokens: Number.NaN,
        prompt_tokens_details: { cached_tokens: 1.5 },
      },
      { input_tokens: 0, output_tokens: 0 },
    ],
  ])("reads the usage of %s", (_server, usage, expected) => {
    expect(decodeChatUsage(usage)).toEqual(expected);
  });

  it("never throws, never counts below zero, and its parts add up to the prompt", () => {
    const figure = fc.oneof(
      fc.nat(2_000_000),
      fc.anything(),
      fc.constantFrom(-1, -0, 1e300, Infinity, Number.NaN, null, "3", Number.MAX_SAFE_INTEGER),
    );
    const details = fc.oneof(
      fc.dictionary(
        fc.constantFrom("cached_tokens", "cache_write_tokens", "cache_creation_tokens", "reasoning_tokens"),
        figure,
      ),
      fc.anything(),
    );
    const usage = fc.record(
      {
        prompt_tokens: figure,
        completion_tokens: figure,
        total_tokens: figure,
        cached_tokens: figure,
        prompt_cache_hit_tokens: figure,
        prompt_cache_miss_tokens: figure,
        cache_read_input_tokens: figure,
        cache_creation_input_tokens: figure,
        prompt_tokens_details: details,
        completion_tokens_details: details,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(usage, fc.anything()), (value) => {
        const decoded = decodeChatUsage(value);
        const read = decoded.cache_read_input_tokens ?? 0;
        const written = decoded.cache_creation_input_tokens ?? 0;
        for (const tokens of [decoded.input_tokens, decoded.output_tokens, read, written]) {
          expect(Number.isSafeInteger(tokens) && tokens >= 0 && !Object.is(tokens, -0)).toBe(true);
        }
        const prompt: unknown = (value as { prompt_tokens?: unknown } | null | undefined)?.prompt_tokens;
        if (Number.isSafeInteger(prompt) && (prompt as number) >= 0) {
          expect(decoded.input_tokens + read + written === prompt).toBe(true);
        }
        const thinking = decoded.output_tokens_details?.thinking_tokens ?? 0;
        expect(thinking).toBeLessThanOrEqual(decoded.output_tokens);
      }),
      { numRuns: 2000 },
    );
  });
});
