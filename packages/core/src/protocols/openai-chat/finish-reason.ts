import type { PlainFailure } from "../../messages/call/failure.js";

const stopReasons: ReadonlyMap<string, string> = new Map([
  ["length", "max_tokens"],
  ["max_tokens", "max_tokens"],
  ["content_filter", "refusal"],
  ["sensitive", "refusal"],
  ["model_length", "model_context_window_exceeded"],
  ["model_context_window_exceeded", "model_context_window_exceeded"],
]);

const failures: ReadonlyMap<string, PlainFailure["kind"]> = new Map<string, PlainFailure["kind"]>([
  ["error", "api"],
  ["network_error", "connection"],
  ["insufficient_system_resource", "overloaded"],
]);

export interface FinishFacts {
  readonly hasCalls: boolean;
  readonly isRefusal: boolean;
}

/**
 * Why a response ended, in the words of the Messages API. Some servers say `stop` after calls, some announce
 * calls that never came, and some say nothing: what the response holds decides then.
 */
export function stopReason(finish: string | undefined, { hasCalls, isRefusal }: FinishFacts): string {
  const known = stopReasons.get(finish ?? "");
  if (known !== undefined) return known;
  if (isRefusal) return "refusal";
  return hasCalls ? "tool_use" : "end_turn";
}

/** A finish reason with which a server says that it broke off. */
export function finishFailure(finish: string | undefined): PlainFailure | undefined {
  const kind = failures.get(finish ?? "");
  if (kind === undefined) return undefined;
  return { kind, message: `the server ended the response with "${finish}"`, retryable: true };
}

/** An empty one is none: some servers send it with every chunk. */
export const readFinish = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
