import { isMainThread, type QuerySource } from "../../messages/call/query-source.js";
import type { ModelRequest } from "../../messages/call/request.js";
import { billedUsage } from "../../messages/billed-usage.js";
import type { BilledCall } from "../../messages/billed-calls.js";
import type { Estimator } from "../ports/estimator.js";
import type { SentCall } from "./call-meter.js";
import { promptTokens } from "./price-call.js";

export interface BillOptions {
  readonly source: QuerySource;
  readonly estimator: Pick<Estimator, "block">;
}

/**
 * What a call is billed for. Where the API said it, that is all. Where it was cut off, the input is what the API
 * said at the start and the output what had arrived; where nothing was said, the input is the size of the request,
 * as plain input: nobody can know what a cache would have had of it.
 */
export function billCall(sent: SentCall, { source, estimator }: BillOptions): BilledCall {
  const { request, model, usage, isComplete } = sent;
  const billed = usage === undefined ? undefined : billedUsage(usage);
  const isReported = billed !== undefined && promptTokens(billed) > 0;
  if (usage !== undefined && isReported && isComplete) return { source, model, usage };
  const { text } = sent;
  const output = text === "" ? 0 : Math.ceil(estimator.block({ type: "text", text }));
  if (usage !== undefined && isReported) {
    const output_tokens = Math.max(billed.output_tokens, output);
    return { source, model, usage: { ...usage, output_tokens }, estimated: "output" };
  }
  return {
    source,
    model,
    usage: {
      input_tokens: Math.ceil(requestTokens(request, estimator)),
      output_tokens: Math.max(billed?.output_tokens ?? 0, output),
    },
    estimated: "all",
  };
}

/** System prompt, tools and messages, by estimate. */
function requestTokens(
  { system = [], tools = [], messages }: ModelRequest,
  { block }: Pick<Estimator, "block">,
): number {
  const head: readonly unknown[] = typeof system === "string" ? [{ type: "text", text: system }] : system;
  const contents = messages.flatMap(({ content }): readonly unknown[] => content);
  return [...head, ...tools, ...contents].reduce<number>((sum, part) => sum + block(part), 0);
}

/** The name of a call beside a conversation: that of a subagent's compaction says whose it is. */
export const sourceBeside = (owner: QuerySource, part: "compact" | "session_memory"): QuerySource =>
  isMainThread(owner) ? part : `${owner}/${part}`;
