import fc from "fast-check";
import { expect, it } from "vitest";
import type { ResponseUsage } from "../../messages/call/response.js";
import { models } from "../../models/table.js";
import { accountOf, accountTotal } from "./account.js";
import { priceOf } from "./price-of.js";

const tokens = fc.integer({ min: 0, max: 2_000_000 });

it("is what an account has for the same call, and without a cache never less than input alone", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...models.map(({ id }) => id)),
      fc.record({
        input_tokens: tokens,
        output_tokens: tokens,
        cache_read_input_tokens: tokens,
        cache_creation_input_tokens: tokens,
      }),
      (model, usage) => {
        const price = priceOf(model, usage);
        if (price.kind === "unpriced") throw new Error(price.message);
        expect(price.dollars).toBe(accountTotal(accountOf([{ source: "sdk", model, usage }])).dollars);
        expect(price.dollars).toBe(price.input + price.cacheRead + price.cacheWrite + price.output);
        expect(price.withoutCache).toBeGreaterThanOrEqual(price.input + price.output - 1e-9);
      },
    ),
  );
});

it("by figures: five dollars a million of input, twenty-five of output, a tenth for what is read", () => {
  const usage = { input_tokens: 100_000, output_tokens: 10_000, cache_read_input_tokens: 300_000 };
  const price = priceOf("us.anthropic.claude-opus-5-20260101-v1:0", usage);
  expect(price).toMatchObject({ kind: "priced", model: "claude-opus-5" });
  if (price.kind === "unpriced") return;
  expect(price.dollars).toBeCloseTo(0.5 + 0.25 + 0.15, 9);
  expect(price.withoutCache).toBeCloseTo(2 + 0.25, 9);
});

it.each([
  ["gpt-9", { input_tokens: 1, output_tokens: 1 }, 'No prices are known for the model "gpt-9".'],
  [undefined, { input_tokens: 1, output_tokens: 1 }, "No prices are known for the model undefined."],
  ["claude-opus-5", { promptTokens: 7, completionTokens: 1 }, "The usage must be what the Messages API"],
  ["claude-opus-5", undefined, "The usage must be what the Messages API reports"],
  ["claude-opus-5", { input_tokens: Number.NaN }, "The usage must be what the Messages API reports"],
])("says what it cannot know, and never 0: %s, %j", (model, usage, sentence) => {
  const price = priceOf(model as string, usage as ResponseUsage);
  expect(price).toEqual({ kind: "unpriced", model, message: expect.stringContaining(sentence) });
});
