import {
  createAssistantMessage,
  createAttachmentMessage,
  createCompactBoundary,
  createSystemMessage,
  createUserMessage,
  type Clock,
  type Ids,
  type MessageOrigin,
} from "../messages/construct.js";
import type { AssistantBlock, UserBlock } from "../messages/content.js";
import type {
  AssistantMessage,
  AttachmentMessage,
  CompactBoundary,
  Message,
  SystemMessage,
  UserMessage,
} from "../messages/message.js";
import { sequentialIds } from "./sequential-ids.js";
import { simulatedClock } from "./simulated-clock.js";

export interface ConversationBuilderOptions {
  readonly sessionId?: string;
  readonly clock?: Clock;
  readonly ids?: Ids;
}

export interface Kept {
  readonly head: Message;
  readonly tail: Message;
  /** After the summary (`up_to`), or before the boundary as the conversation's prefix (`from`). */
  readonly place: "after-summary" | "before-boundary";
}

/** Makes messages that hang on one another: each is the child of the one made before it. */
export interface ConversationBuilder {
  user(content: string | readonly UserBlock[]): UserMessage;
  assistant(content: string | readonly AssistantBlock[]): AssistantMessage;
  attachment(type: string): AttachmentMessage;
  system(subtype: string): SystemMessage;
  /** A boundary and its summary; the next message follows what the compaction kept last. */
  compaction(kept?: Kept): readonly [CompactBoundary, UserMessage];
  /** A subagent's message: beside the conversation, and nothing follows it. */
  sidechain(text: string): UserMessage;
  /** The next message follows this one. */
  rewindTo(message: Message): void;
}

/** Builds conversations for tests: messages with ids and times that are the same in every run. */
export function conversationBuilder(options: ConversationBuilderOptions = {}): ConversationBuilder {
  const sessionId = options.sessionId ?? "session";
  const clock = options.clock ?? simulatedClock(Date.UTC(2026, 0, 1));
  const ids = options.ids ?? sequentialIds("message");
  const responses = sequentialIds("response");
  let last: string | null = null;
  const origin = (): MessageOrigin => ({ clock, ids, sessionId, parentUuid: last });
  const follow = <M extends Message>(message: M): M => {
    last = message.uuid;
    return message;
  };
  return {
    user: (content) => follow(createUserMessage(origin(), { content })),
    assistant: (content) =>
      follow(
        createAssistantMessage(origin(), {
          id: responses.next(),
          model: "model-of-the-tests",
          content: typeof content === "string" ? [{ type: "text", text: content }] : content,
        }),
      ),
    attachment: (type) => follow(createAttachmentMessage(origin(), { type })),
    system: (subtype) => follow(createSystemMessage(origin(), { subtype })),
    compaction(kept) {
      const summaryUuid = ids.next();
      const boundary = createCompactBoundary(origin(), {
        trigger: "auto",
        preTokens: 1000,
        ...(kept === undefined
          ? {}
          : {
              preservedSegment: {
                headUuid: kept.head.uuid,
                tailUuid: kept.tail.uuid,
                anchorUuid: kept.place === "after-summary" ? summaryUuid : null,
              },
            }),
      });
      const summary = createUserMessage(
        { ...origin(), ids: { next: () => summaryUuid }, parentUuid: boundary.uuid },
        { content: "Summary", isCompactSummary: true, isVisibleInTranscriptOnly: true },
      );
      last = kept?.place === "after-summary" ? kept.tail.uuid : summaryUuid;
      return [boundary, summary];
    },
    sidechain: (text) => ({
      ...createUserMessage({ ...origin(), parentUuid: null }, { content: text }),
      isSidechain: true,
    }),
    rewindTo(message) {
      last = message.uuid;
    },
  };
}
