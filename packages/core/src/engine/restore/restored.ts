import type { Attachment } from "../../messages/message.js";
import type { ReadStateSnapshot } from "../tools/read-state.js";
import type { FileSkipReason } from "../events/file-skip-reason.js";

/** The ways on which state comes back, in the order in which it stands after the summary. */
export const restoreChannels = [
  "files",
  "background-agents",
  "todos",
  "plan",
  "plan-mode",
  "skills",
  "deferred-tools",
  "agent-listing",
  "mcp-instructions",
] as const;

export type RestoreChannel = (typeof restoreChannels)[number];

export type SkipReason =
  | FileSkipReason
  /** The plan comes through a channel of its own. */
  | "plan"
  /** Memory files come through the system prompt. */
  | "memory"
  /** The agent's own state: todos, notes. */
  | "own-state"
  /** The kept messages show it. */
  | "visible"
  /** A read of it was denied or failed before. */
  | "failed-before"
  /** Parts of other files are more likely needed. */
  | "not-chosen"
  /** Left out afterwards to get below a limit. */
  | "dropped"
  /** The whole channel failed. */
  | "channel-failed";

/** Something that does not come back, and why. */
export interface SkippedItem {
  readonly channel: RestoreChannel;
  /** The file or skill; left out where it is about the channel. */
  readonly path?: string;
  readonly reason: SkipReason;
  /** What a channel threw. For the host's own log: it may say anything. */
  readonly error?: unknown;
}

/** One attachment that comes back. */
export interface RestoredItem {
  readonly channel: RestoreChannel;
  readonly attachment: Attachment;
  /** Tokens as the model is sent it, by the estimator. */
  readonly tokens: number;
  /** Of a file: where it stands. */
  readonly path?: string;
  readonly isTruncated?: boolean;
}

/** What comes back after a compaction. Nothing has happened yet: `applyRestored` makes it so, at the swap. */
export interface Restored {
  /** In the order of their channels. */
  readonly attachments: readonly RestoredItem[];
  /** The read-state after the swap: what was restored, and what the kept messages still show. */
  readonly readStateAfter: ReadStateSnapshot;
  readonly skipped: readonly SkippedItem[];
  /** The caller called it off: there are no attachments, and the read-state is what it was. */
  readonly isAborted: boolean;
}

/** What one channel gives. */
export interface ChannelResult {
  readonly items: readonly RestoredItem[];
  readonly skipped: readonly SkippedItem[];
}

export const noItems: ChannelResult = { items: [], skipped: [] };
