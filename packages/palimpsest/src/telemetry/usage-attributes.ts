import type { ResponseUsage } from "@palimpsest/core";
import { priceOf } from "@palimpsest/core/totals";
import type { Attributes } from "@opentelemetry/api";
import { names } from "./names.js";

/** What a call read, wrote and cost. The conventions count all input as input; the API leaves the cache out of it. */
export function usageAttributes(model: string, usage: ResponseUsage): Attributes {
  const read = usage.cache_read_input_tokens ?? 0;
  const written = usage.cache_creation_input_tokens ?? 0;
  const price = priceOf(model, usage);
  return {
    [names.inputTokens]: usage.input_tokens + read + written,
    [names.outputTokens]: usage.output_tokens,
    [names.cacheReadTokens]: read,
    [names.cacheWriteTokens]: written,
    ...(price.kind === "priced" ? { [names.cost]: price.dollars } : {}),
  };
}
