import type { AssistantBlock, UserBlock } from "./content.js";
import type {
  AssistantMessage,
  Attachment,
  AttachmentMessage,
  CompactBoundary,
  CompactMetadata,
  SystemMessage,
  Usage,
  UserMessage,
} from "./message.js";

/** Time, handed in: the core never reads a clock of its own. Milliseconds since the epoch. */
export interface Clock {
  now(): number;
}

/** Unique ids, handed in. */
export interface Ids {
  next(): string;
}

/** Where a new message belongs, and what gives it its time and id. */
export interface MessageOrigin {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly sessionId: string;
  readonly parentUuid: string | null;
}

const base = (origin: MessageOrigin) => ({
  uuid: origin.ids.next(),
  parentUuid: origin.parentUuid,
  timestamp: new Date(origin.clock.now()).toISOString(),
  sessionId: origin.sessionId,
  isSidechain: false,
});

export interface UserMessageParts {
  readonly content: string | readonly UserBlock[];
  readonly isMeta?: boolean;
  readonly isCompactSummary?: boolean;
  readonly isVisibleInTranscriptOnly?: boolean;
}

/** What a person, a tool or the host says to the model. */
export function createUserMessage(origin: MessageOrigin, parts: UserMessageParts): UserMessage {
  const { content, ...flags } = parts;
  return { type: "user", ...base(origin), ...flags, message: { role: "user", content } };
}

export interface AssistantMessageParts {
  readonly id: string;
  readonly model: string;
  readonly content: readonly AssistantBlock[];
  readonly usage?: Usage;
  readonly stopReason?: string | null;
  readonly isApiErrorMessage?: boolean;
}

/** What a model answered. */
export function createAssistantMessage(
  origin: MessageOrigin,
  parts: AssistantMessageParts,
): AssistantMessage {
  const { id, model, content, usage, stopReason, isApiErrorMessage } = parts;
  return {
    type: "assistant",
    ...base(origin),
    ...(isApiErrorMessage === undefined ? {} : { isApiErrorMessage }),
    message: {
      id,
      role: "assistant",
      model,
      content,
      ...(usage === undefined ? {} : { usage }),
      ...(stopReason === undefined ? {} : { stop_reason: stopReason }),
    },
  };
}

/** State beside a user message: a file, a plan, todos. */
export function createAttachmentMessage(origin: MessageOrigin, attachment: Attachment): AttachmentMessage {
  return { type: "attachment", ...base(origin), attachment };
}

export interface SystemMessageParts {
  readonly subtype: string;
  readonly content?: string;
  readonly level?: string;
}

/** A note of the program in the transcript. It never reaches the model. */
export function createSystemMessage(origin: MessageOrigin, parts: SystemMessageParts): SystemMessage {
  return { type: "system", ...base(origin), isMeta: false, ...parts };
}

/** The boundary of a compaction; `origin.parentUuid` becomes the logical parent, because the chain ends here. */
export function createCompactBoundary(
  origin: MessageOrigin,
  compactMetadata: CompactMetadata,
): CompactBoundary {
  return {
    type: "system",
    ...base({ ...origin, parentUuid: null }),
    subtype: "compact_boundary",
    content: "Conversation compacted",
    level: "info",
    isMeta: false,
    logicalParentUuid: origin.parentUuid,
    compactMetadata,
  };
}
