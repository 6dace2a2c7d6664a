import type { CompactionFailureReason } from "../events/compaction-terms.js";
import { withCause } from "../../messages/with-cause.js";

const sentences: Readonly<Record<CompactionFailureReason, string>> = {
  not_enough_messages: "There are not enough messages to compact.",
  unknown_pivot: "The message where the compaction was to begin or end is not in the conversation.",
  disabled: "Compaction is switched off in the settings.",
  calls_pending: "A tool call still waits for its result: compact once it is there.",
  blocked_by_hook: "A PreCompact hook blocked the compaction",
  aborted: "The compaction was called off; the conversation is unchanged.",
  no_summary: "No summary was written; the conversation is unchanged",
  api_error: "The summary could not be written; the conversation is unchanged",
  prompt_too_long:
    "The conversation is too long even to be summarised: go back a few messages and compact again.",
  cut_off: "The summary was cut off before its end; the conversation is unchanged.",
  tool_call: "The model called a tool instead of writing the summary; the conversation is unchanged.",
  unclosed_tags: "The summary had no end; the conversation is unchanged.",
  not_smaller: "Compacting would not make the conversation noticeably smaller; it is unchanged.",
  above_threshold:
    "The compacted conversation would still be too large, because system prompt, tools and what has to be kept " +
    "fill the window; it is unchanged.",
  pins_too_large:
    "What is pinned leaves no room for a summary: go back to before it was pinned, or begin a new conversation; this one " +
    "is unchanged.",
  not_stored: "The summary could not be stored; the conversation is unchanged",
  no_writer: "There is nobody to write a summary: no model, and the extractive writer is switched off.",
};

/** One sentence for a person. */
export function failureMessage(reason: CompactionFailureReason, detail = ""): string {
  const sentence = sentences[reason];
  return sentence.endsWith(".") ? sentence : withCause(sentence, detail);
}
