import {
  TranscriptError,
  type Message,
  type TranscriptContent,
  type TranscriptStore,
  type TranscriptWriter,
} from "@palimpsest/core";
import { decodeLine, linkLive } from "@palimpsest/core/engine";
import { isOwnBoundary, packBoundary, unpackBoundaries } from "./boundary-texts.js";
import { checkConversationId } from "./conversation-id.js";
import { encodeMessage } from "./encode-message.js";

interface StoredConversation {
  readonly lines: string[];
  bytes: number;
  updatedAt: number;
  isOpen: boolean;
}

/** Conversations that live as long as the store. Messages are kept encoded, so nobody can edit what is stored. */
export function createMemoryStore(): TranscriptStore {
  const conversations = new Map<string, StoredConversation>();

  const messagesOf = (id: string): readonly Message[] => {
    checkConversationId(id);
    const conversation = conversations.get(id);
    if (conversation === undefined) {
      throw new TranscriptError(
        "not_found",
        `There is no conversation ${id} in this store; list() tells which there are.`,
      );
    }
    return unpackBoundaries(decode(conversation.lines)).messages;
  };

  return {
    async open(id) {
      checkConversationId(id);
      const conversation = conversations.get(id) ?? {
        lines: [],
        bytes: 0,
        updatedAt: Date.now(),
        isOpen: false,
      };
      if (conversation.isOpen) {
        throw new TranscriptError(
          "locked",
          `Conversation ${id} is being written by another writer of this store; close it there.`,
        );
      }
      conversation.isOpen = true;
      conversations.set(id, conversation);
      return createMemoryWriter(id, conversation);
    },
    async readLive(id): Promise<TranscriptContent> {
      const { messages, billed = [] } = linkLive(messagesOf(id));
      return { messages: [...messages, ...billed], damaged: [] };
    },
    async readAll(id): Promise<TranscriptContent> {
      return { messages: messagesOf(id), damaged: [] };
    },
    async list() {
      return [...conversations]
        .map(([id, { bytes, updatedAt }]) => ({ id, bytes, updatedAt }))
        .toSorted((left, right) => right.updatedAt - left.updatedAt);
    },
  };
}

const decode = (lines: readonly string[]): readonly Message[] =>
  lines.flatMap((line) => {
    const decoded = decodeLine(line);
    return decoded.kind === "message" ? [decoded.message] : [];
  });

/** A boundary without what those before it hold. */
function packed(message: Message, before: () => readonly string[]): Message {
  if (!isOwnBoundary(message)) return message;
  const { last } = unpackBoundaries(decode(before()));
  return last === undefined ? message : packBoundary(message, last);
}

function createMemoryWriter(id: string, conversation: StoredConversation): TranscriptWriter {
  let isClosed = false;
  return {
    async append(messages) {
      if (isClosed)
        throw new TranscriptError("closed", `Conversation ${id} was closed; open it again to append.`);
      const lines: string[] = [];
      for (const message of messages) {
        lines.push(encodeMessage(packed(message, () => [...conversation.lines, ...lines])));
      }
      if (lines.length === 0) return;
      for (const line of lines) {
        conversation.lines.push(line);
        conversation.bytes += Buffer.byteLength(line) + 1;
      }
      conversation.updatedAt = Date.now();
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      conversation.isOpen = false;
    },
  };
}
