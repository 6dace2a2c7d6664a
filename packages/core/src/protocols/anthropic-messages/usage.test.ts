import { describe, expect, it } from "vitest";
import { billedUsage } from "../../messages/billed-usage.js";
import { contextTokens } from "./usage.js";

const compacted = {
  input_tokens: 30,
  output_tokens: 5,
  cache_read_input_tokens: 200,
  iterations: [
    { type: "message", input_tokens: 10, output_tokens: 1, cache_read_input_tokens: 100 },
    { type: "compaction", input_tokens: 180_000, output_tokens: 3_500, cache_creation_input_tokens: 7 },
    { type: "message", input_tokens: 20, output_tokens: 4, cache_read_input_tokens: 100 },
    { type: "compaction", input_tokens: 1, output_tokens: 1 },
  ],
};

describe("contextTokens", () => {
  it("adds what was read and written; null and absent are 0", () => {
    expect(
      contextTokens({
        input_tokens: 1,
        output_tokens: 20,
        cache_creation_input_tokens: 300,
        cache_read_input_tokens: 4000,
      }),
    ).toBe(4321);
    expect(contextTokens({ input_tokens: 1, output_tokens: 2, cache_read_input_tokens: null })).toBe(3);
    expect(contextTokens({ input_tokens: 1, output_tokens: 2, iterations: null })).toBe(3);
    expect(contextTokens({ input_tokens: 1, output_tokens: 2, iterations: [] })).toBe(3);
  });

  it("is that of the last message iteration, whatever compaction stands behind it", () => {
    expect(contextTokens(compacted)).toBe(124);
  });

  it("is that of the fallback where another model served the message", () => {
    const iterations = [
      { type: "message", input_tokens: 10, output_tokens: 1 },
      { type: "fallback_message", input_tokens: 12, output_tokens: 3 },
    ];
    expect(contextTokens({ input_tokens: 22, output_tokens: 4, iterations })).toBe(15);
  });

  it("never is that of a compaction", () => {
    const iterations = [{ type: "compaction", input_tokens: 100, output_tokens: 10 }];
    expect(contextTokens({ input_tokens: 0, output_tokens: 0, iterations })).toBe(0);
  });
});

describe("billedUsage", () => {
  it("is the sum of the iterations", () => {
    expect(billedUsage(compacted)).toEqual({
      input_tokens: 180_031,
      output_tokens: 3_506,
      cache_read_input_tokens: 200,
      cache_creation_input_tokens: 7,
      cache_creation: { ephemeral_5m_input_tokens: 7, ephemeral_1h_input_tokens: 0 },
    });
  });

  it("is the top level without them, with writes split by lifetime", () => {
    const usage = {
      input_tokens: 1,
      output_tokens: 2,
      cache_creation_input_tokens: 30,
      cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
      iterations: [],
    };
    expect(billedUsage(usage)).toEqual({
      input_tokens: 1,
      output_tokens: 2,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 30,
      cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
    });
  });

  it("takes writes without a split for five-minute ones", () => {
    const usage = { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 9, cache_creation: null };
    expect(billedUsage(usage).cache_creation).toEqual({
      ephemeral_5m_input_tokens: 9,
      ephemeral_1h_input_tokens: 0,
    });
  });
});
