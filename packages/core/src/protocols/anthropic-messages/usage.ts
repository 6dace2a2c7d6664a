import type { ResponseUsage } from "../../messages/call/response.js";
import { sampledFigures } from "../../messages/usage.js";

/**
 * The size of the context after this response: everything that was read plus everything that was written. An
 * on-demand compaction samples no message and reports 0 at the top level, so its result is 0.
 */
export function contextTokens(usage: ResponseUsage): number {
  const figures = sampledFigures(usage);
  return (
    figure(figures["input_tokens"]) +
    figure(figures["cache_creation_input_tokens"]) +
    figure(figures["cache_read_input_tokens"]) +
    figure(figures["output_tokens"])
  );
}

function figure(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
