import type { ApiFailure } from "../../messages/call/failure.js";
import type { ModelResponse } from "../../messages/call/response.js";
import type { CompactionFailureReason } from "./compaction.js";
import { parseSummary } from "./parse-summary.js";
import type { TooLong } from "./too-long.js";

/** What one writer came up with. */
export type Written =
  | { readonly kind: "written"; readonly summary: string }
  | {
      readonly kind: "rejected";
      readonly reason: CompactionFailureReason;
      readonly detail: string;
      /** What a refusal says of its figures. */
      readonly tooLong?: TooLong;
    };

const rejected = (reason: CompactionFailureReason, detail: string): Written => ({
  kind: "rejected",
  reason,
  detail,
});

/** Texts with which programs report a failed call where an answer should stand. */
const ERROR_TEXT = /^\s*(?:api error\b|error:? \d{3}\b|\{\s*"type"\s*:\s*"error")/i;
const TOO_LONG_TEXT = /^\s*(?:(?:api )?error:?\s*)?(?:\d{3}\s*)?prompt is too long\b/i;

/** Whether an answer holds a summary that can be used. */
export function judgeAnswer({ content, stop_reason: stopReason }: ModelResponse): Written {
  if (content.some(({ type }) => type === "tool_use" || type === "server_tool_use")) {
    return rejected("tool_call", "the model called a tool instead of answering");
  }
  if (stopReason === "max_tokens" || stopReason === "model_context_window_exceeded") {
    return rejected("cut_off", "the summary was cut off at the limit of the answer");
  }
  const text = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  if (stopReason === "refusal") return rejected("no_summary", "the model refused to summarise");
  if (text.trim() === "") return rejected("no_summary", "the answer held no text");
  if (TOO_LONG_TEXT.test(text)) return rejected("prompt_too_long", firstLine(text));
  if (ERROR_TEXT.test(text)) return rejected("api_error", firstLine(text));
  const parsed = parseSummary(text);
  if (parsed.kind === "unclosed")
    return rejected("unclosed_tags", "the summary has no end: a tag was not closed");
  if (parsed.kind === "empty") return rejected("no_summary", "the answer held no summary");
  return { kind: "written", summary: parsed.text };
}

/** What a failed call means for the writer that made it. */
export function judgeFailure(failure: ApiFailure): Written {
  if (failure.kind === "aborted") return rejected("aborted", "the compaction was called off");
  if (failure.kind === "context-overflow" || failure.kind === "request-too-large") {
    const { actualTokens, maximumTokens } = failure.kind === "context-overflow" ? failure : {};
    return {
      kind: "rejected",
      reason: "prompt_too_long",
      detail: failure.message,
      tooLong: {
        ...(actualTokens === undefined ? {} : { actualTokens }),
        ...(maximumTokens === undefined ? {} : { maximumTokens }),
      },
    };
  }
  return rejected("api_error", failure.message);
}

const firstLine = (text: string): string => (text.trim().split("\n", 1)[0] ?? "").slice(0, 200);
