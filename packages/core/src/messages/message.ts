import type { ResponseUsage } from "./call/response.js";
import type { AssistantBlock, UserBlock } from "./content.js";

/** Model name of assistant messages that the program wrote itself. */
export const SYNTHETIC_MODEL = "<synthetic>";

/** Usage as the Messages API reports it; further fields are kept as they came. */
export type Usage = ResponseUsage;

interface MessageBase {
  readonly uuid: string;
  /** The message this one follows; null for the first and after a boundary. */
  readonly parentUuid: string | null;
  /** ISO 8601. */
  readonly timestamp: string;
  readonly sessionId: string;
  /** Belongs to a subagent's conversation beside this one. */
  readonly isSidechain?: boolean;
  /** Written by the program, not by the person. */
  readonly isMeta?: boolean;
  /** Stays word for word whatever is summarised. */
  readonly isPinned?: boolean;
}

export interface UserMessage extends MessageBase {
  readonly type: "user";
  readonly message: { readonly role: "user"; readonly content: string | readonly UserBlock[] };
  readonly isCompactSummary?: boolean;
  /** Hidden in the chat view, shown in the full transcript; it still reaches the model. */
  readonly isVisibleInTranscriptOnly?: boolean;
}

export interface AssistantMessage extends MessageBase {
  readonly type: "assistant";
  /** One API response may be split over several messages that share `message.id`. */
  readonly message: {
    readonly id: string;
    readonly role: "assistant";
    readonly model: string;
    readonly content: readonly AssistantBlock[];
    readonly usage?: Usage;
    readonly stop_reason?: string | null;
  };
  /** With the synthetic model: an error that the program wrote; it never reaches the model. */
  readonly isApiErrorMessage?: boolean;
}

/** State that the program injects beside a user message: a file, a plan, todos, announcements. */
export interface AttachmentMessage extends MessageBase {
  readonly type: "attachment";
  readonly attachment: Attachment;
}

export interface Attachment {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface SystemMessage extends MessageBase {
  readonly type: "system";
  readonly subtype: string;
  readonly content?: string;
  readonly level?: string;
}

/** Messages that a compaction kept verbatim, named by their ends in the order of the live list. */
export interface PreservedSegment {
  readonly headUuid: string;
  readonly tailUuid: string;
  /** The message they stand after now; null when they stand before the boundary itself. */
  readonly anchorUuid: string | null;
  /** Where their lines lie in the transcript file, in live order: a hint, checked against the uuids. */
  readonly byteRanges?: readonly { readonly start: number; readonly end: number }[];
}

export interface SummaryCall {
  readonly model: string;
  readonly usage: Usage;
  /** As in a billed call; transcripts of earlier versions name neither. */
  readonly source?: string;
  readonly estimated?: "output" | "all";
}

export interface CompactMetadata {
  readonly trigger: "manual" | "auto";
  readonly preTokens: number;
  readonly preservedSegment?: PreservedSegment;
  /** What the calls for the summary have used, those that failed included: nothing else in a transcript tells of them. */
  readonly summaryCalls?: readonly SummaryCall[];
  readonly [field: string]: unknown;
}

export interface CompactBoundary extends SystemMessage {
  readonly subtype: "compact_boundary";
  /** The last message before the boundary, for rewinds and forks. */
  readonly logicalParentUuid?: string | null;
  readonly compactMetadata?: CompactMetadata;
}

export interface ProgressMessage extends MessageBase {
  readonly type: "progress";
}

export type Message = UserMessage | AssistantMessage | AttachmentMessage | SystemMessage | ProgressMessage;
