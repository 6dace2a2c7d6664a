import { createSystemMessage, type MessageOrigin } from "../../messages/construct.js";
import { isFields } from "../../messages/fields.js";
import type { Message, SystemMessage } from "../../messages/message.js";
import { isRewound } from "../../messages/rewound.js";

/** What is known of the last time the notes were brought up to date. */
export interface NotesMetadata {
  /** The last message that they cover. */
  readonly coveredUuid: string;
  /** Tokens of the context at the time. */
  readonly tokens: number;
}

/** Says in the transcript how far the notes reach, so that they resume with the conversation. */
export interface NotesRecord extends SystemMessage {
  readonly subtype: "session_memory";
  readonly notesMetadata: NotesMetadata;
}

export function createNotesRecord(origin: MessageOrigin, notesMetadata: NotesMetadata): NotesRecord {
  const base = createSystemMessage(origin, {
    subtype: "session_memory",
    content: "Session notes updated",
    level: "info",
  });
  return { ...base, subtype: "session_memory", notesMetadata };
}

/** A record whose metadata can be used; it may come from a file and be anything. */
export function isNotesRecord(message: Message): message is NotesRecord {
  if (message.type !== "system" || message.subtype !== "session_memory") return false;
  const metadata: unknown = (message as Partial<NotesRecord>).notesMetadata;
  return (
    isFields(metadata) &&
    typeof metadata["coveredUuid"] === "string" &&
    typeof metadata["tokens"] === "number" &&
    metadata["tokens"] >= 0 &&
    Number.isFinite(metadata["tokens"])
  );
}

/**
 * The newest record among live messages. Where somebody has gone back since, the notes may tell of what is no longer part
 * of the conversation: then there is none.
 */
export function lastNotesRecord(live: readonly Message[]): NotesMetadata | undefined {
  const last = live.findLast((message) => isNotesRecord(message) || isRewound(message));
  return last !== undefined && isNotesRecord(last) ? last.notesMetadata : undefined;
}
