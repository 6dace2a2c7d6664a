import type { ResponseUsage } from "../../messages/call/response.js";
import { isFields, type Fields } from "../../messages/fields.js";

/**
 * The usage of a chat response in the neutral vocabulary. There `prompt_tokens` is all of the prompt and what
 * was read from or written to a cache are parts of it; here the three add up. Where the total is more than
 * prompt and completion, the rest is reasoning that the server did not count in. What a server says nothing of
 * is absent; figures that cannot be are 0, and no part is larger than its whole. Never throws.
 */
export function decodeChatUsage(usage: unknown): ResponseUsage {
  if (!isFields(usage)) return { input_tokens: 0, output_tokens: 0 };
  const prompt = promptTokens(usage);
  const read = cacheRead(usage);
  const written = cacheWritten(usage);
  const fromCache = Math.min(prompt, read ?? 0);
  const intoCache = Math.min(prompt - fromCache, written ?? 0);
  const output = Math.max(
    count(usage["completion_tokens"]) ?? 0,
    (count(usage["total_tokens"]) ?? 0) - prompt,
  );
  const thinking = count(part(usage, "completion_tokens_details")["reasoning_tokens"]);
  return {
    input_tokens: prompt - fromCache - intoCache,
    output_tokens: output,
    ...(read === undefined ? {} : { cache_read_input_tokens: fromCache }),
    ...(written === undefined ? {} : { cache_creation_input_tokens: intoCache }),
    ...(thinking === undefined
      ? {}
      : { output_tokens_details: { thinking_tokens: Math.min(output, thinking) } }),
  };
}

function promptTokens(usage: Fields): number {
  const hit = count(usage["prompt_cache_hit_tokens"]);
  const missed = count(usage["prompt_cache_miss_tokens"]);
  const split = hit === undefined || missed === undefined ? undefined : count(hit + missed);
  return count(usage["prompt_tokens"]) ?? split ?? 0;
}

/** OpenAI and most others; DeepSeek; Moonshot; servers that hand on what the Messages API says. */
function cacheRead(usage: Fields): number | undefined {
  return (
    count(part(usage, "prompt_tokens_details")["cached_tokens"]) ??
    count(usage["prompt_cache_hit_tokens"]) ??
    count(usage["cached_tokens"]) ??
    count(usage["cache_read_input_tokens"])
  );
}

function cacheWritten(usage: Fields): number | undefined {
  const details = part(usage, "prompt_tokens_details");
  return (
    count(details["cache_write_tokens"]) ??
    count(details["cache_creation_tokens"]) ??
    count(usage["cache_creation_input_tokens"])
  );
}

function part(usage: Fields, name: string): Fields {
  const details = usage[name];
  return isFields(details) ? details : {};
}

function count(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? Math.abs(value) : undefined;
}
