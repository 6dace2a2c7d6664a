import { figure } from "../../messages/billed-usage.js";
import type { ResponseUsage } from "../../messages/call/response.js";
import { sampledFigures } from "../../messages/usage.js";
import type { CacheReport } from "../clear/cached-edits.js";
import type { PromptRequest } from "../prompt/ttl/gap-evidence.js";

/** Of a response that says nothing of it, whatever the types say. */
export const noUsage = { input_tokens: 0, output_tokens: 0 } as const;

/** What a usage says of the cache. */
export function cacheReportOf(usage: ResponseUsage): CacheReport {
  const figures = sampledFigures(usage);
  const deleted = figures["cache_deleted_input_tokens"];
  return {
    read: figure(figures["cache_read_input_tokens"]),
    written: figure(figures["cache_creation_input_tokens"]),
    ...(typeof deleted === "number" ? { deleted } : {}),
  };
}

/** Tokens of the whole prompt that a usage is about. */
export const promptTokensOf = (usage: ResponseUsage): number => {
  const { read, written } = cacheReportOf(usage);
  return read + written + figure(sampledFigures(usage)["input_tokens"]);
};

/** The request that a usage is about, for weighing lifetimes. `before` is what the last request had in its prompt. */
export function promptRequestOf(
  usage: ResponseUsage,
  { at, before }: { at: number; before: number },
): PromptRequest {
  const total = promptTokensOf(usage);
  const prefixTokens = Math.min(total, before);
  return { at, prefixTokens, newTokens: total - prefixTokens };
}
