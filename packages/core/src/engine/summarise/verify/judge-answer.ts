import type { ApiFailure } from "../../../messages/call/failure.js";
import type { ModelResponse } from "../../../messages/call/response.js";
import type { CompactionFailureReason } from "../../events/compaction-terms.js";
import { parseSummary } from "./parse-summary.js";
import { findSections } from "../shape/summary-sections.js";
import type { TooLong } from "../write/too-long.js";

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
  const fault = findSections(parsed.text).length === 0 ? faultOf(parsed) : undefined;
  if (fault !== undefined) return rejected("no_summary", fault);
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

/** So many words at least say something of a conversation: in the element that was asked for, and without it. */
const LEAST_WORDS = { tagged: 4, untagged: 30 } as const;

/**
 * Why a text without any of the sections, which may be in any language, is no summary. What comes in the element
 * that was asked for is believed to be one; anything else may be an answer to something else, and has to be longer.
 */
function faultOf({
  text,
  isTagged,
}: {
  readonly text: string;
  readonly isTagged: boolean;
}): string | undefined {
  if (isJson(text)) return "the answer was JSON instead of a summary";
  const least = isTagged ? LEAST_WORDS.tagged : LEAST_WORDS.untagged;
  return wordsIn(text) < least ? "the answer was too short to be a summary" : undefined;
}

/** With or without a fence around it. */
function isJson(text: string): boolean {
  const [, fenced] = /^```\w*\n(.*)\n```$/s.exec(text.trim()) ?? [];
  try {
    const value: unknown = JSON.parse(fenced ?? text);
    return typeof value === "object";
  } catch {
    return false;
  }
}

/** Scripts that put no blanks between words: two of their characters count as one. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu;

function wordsIn(text: string): number {
  const unspaced = text.match(UNSPACED)?.length ?? 0;
  return (
    unspaced / 2 + (text.replaceAll(UNSPACED, " ").match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu)?.length ?? 0)
  );
}

const firstLine = (text: string): string => (text.trim().split("\n", 1)[0] ?? "").slice(0, 200);
