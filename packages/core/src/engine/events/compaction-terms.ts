export type CompactionTrigger = "manual" | "auto";

/** Who wrote a summary, in the order they are tried. */
export type WriterName = "notes" | "server" | "fork" | "streaming" | "extractive";

/** Why a compaction, or one writer's attempt at it, came to nothing. */
export type CompactionFailureReason =
  | "not_enough_messages"
  /** The message that was to be the first or the last of it is not in the conversation. */
  | "unknown_pivot"
  /** Compaction is switched off. */
  | "disabled"
  /** A call still lacks its result, and what is to be summarised holds it. */
  | "calls_pending"
  | "blocked_by_hook"
  | "aborted"
  /** The answer held no text. */
  | "no_summary"
  /** The call failed, or the answer was the text of an error. */
  | "api_error"
  | "prompt_too_long"
  /** The answer ended at its token limit. */
  | "cut_off"
  | "tool_call"
  | "unclosed_tags"
  /** The new context would not be smaller, or not by enough. */
  | "not_smaller"
  /** The new context would be compacted again at once. */
  | "above_threshold"
  /** The new context would be small enough but for what is pinned. */
  | "pins_too_large"
  /** The store failed when the compaction was to take effect; what it threw is thrown on. */
  | "not_stored"
  /** No writer may be used: no model, and the extractive writer is switched off. */
  | "no_writer";

/** One writer's attempt that was not taken. */
export interface FailedAttempt {
  readonly writer: WriterName;
  readonly reason: CompactionFailureReason;
  /** In a sentence. */
  readonly detail: string;
}

/** What had to be mended in a summary. */
export interface Mended {
  readonly sectionsAdded: readonly number[];
  readonly messagesAdded: number;
  readonly pathsUnknown: readonly string[];
}
