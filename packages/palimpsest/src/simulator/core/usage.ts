import type { UsageIteration, ResponseUsage } from "@palimpsest/core";
import type { BilledTokens } from "./pricing.js";
import type { CacheReading } from "./prompt-cache.js";

export const nothingBilled: BilledTokens = {
  input: 0,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  output: 0,
};

export const addBilled = (a: BilledTokens, b: BilledTokens): BilledTokens => ({
  input: a.input + b.input,
  cacheRead: a.cacheRead + b.cacheRead,
  cacheWrite5m: a.cacheWrite5m + b.cacheWrite5m,
  cacheWrite1h: a.cacheWrite1h + b.cacheWrite1h,
  output: a.output + b.output,
});

export const billedOf = (cache: CacheReading, output: number): BilledTokens => ({
  input: cache.input,
  cacheRead: cache.read,
  cacheWrite5m: cache.write5m,
  cacheWrite1h: cache.write1h,
  output,
});

const wireFields = (billed: BilledTokens) => ({
  input_tokens: billed.input,
  cache_creation_input_tokens: billed.cacheWrite5m + billed.cacheWrite1h,
  cache_read_input_tokens: billed.cacheRead,
  cache_creation: {
    ephemeral_5m_input_tokens: billed.cacheWrite5m,
    ephemeral_1h_input_tokens: billed.cacheWrite1h,
  },
  output_tokens: billed.output,
});

export const usageOf = (billed: BilledTokens, thinkingTokens = 0): ResponseUsage => ({
  ...wireFields(billed),
  output_tokens_details: { thinking_tokens: thinkingTokens },
  server_tool_use: null,
  service_tier: "standard",
});

export const iterationOf = (type: string, billed: BilledTokens): UsageIteration => ({
  type,
  ...wireFields(billed),
});

/** Deleted results are still part of the cached prefix but no longer read. */
export const withoutDeleted = (usage: ResponseUsage, deleted: number): ResponseUsage => ({
  ...usage,
  cache_read_input_tokens: Math.max(0, (usage.cache_read_input_tokens ?? 0) - deleted),
  cache_deleted_input_tokens: deleted,
});
