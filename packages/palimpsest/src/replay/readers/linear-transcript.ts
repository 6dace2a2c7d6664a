import {
  createAssistantMessage,
  createAttachmentMessage,
  createUserMessage,
  type AssistantMessageParts,
  type Attachment,
  type CompactMetadata,
  type Message,
  type MessageOrigin,
  type UserMessageParts,
} from "@palimpsest/core";
import { createCompactBoundary, createSystemMessage, type SystemMessageParts } from "@palimpsest/core/engine";

/**
 * Builds the messages of a recording that has no ids of our kind: each gets one made of the session and the
 * line it came from (`019f…:12`, a second from the same line `019f…:12.2`), and is linked to the one before.
 */
export class LinearTranscript {
  #added: Message[] = [];
  readonly #sessionId: string;
  #line = 0;
  #time = 0;
  #parent: string | null = null;
  #fromLine = 0;

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
  }

  /** What is added from now on came from this line, written at this time. */
  at(line: number, timestamp: unknown): void {
    this.#line = line;
    this.#fromLine = 0;
    const time = typeof timestamp === "number" ? timestamp : Date.parse(String(timestamp));
    if (Number.isFinite(time) && Math.abs(time) < 8.64e15) this.#time = time;
  }

  /** What was added since this was last asked for. */
  drain(): readonly Message[] {
    const added = this.#added;
    this.#added = [];
    return added;
  }

  /** `extra` holds what the recording knows and a request never carries, such as foreign reasoning. */
  user(parts: UserMessageParts, extra: object = {}): Message {
    return this.#add((origin) => ({ ...createUserMessage(origin, parts), ...extra }));
  }

  assistant(parts: AssistantMessageParts, extra: object = {}): Message {
    return this.#add((origin) => ({ ...createAssistantMessage(origin, parts), ...extra }));
  }

  attachment(attachment: Attachment): Message {
    return this.#add((origin) => createAttachmentMessage(origin, attachment));
  }

  system(parts: SystemMessageParts): Message {
    return this.#add((origin) => createSystemMessage(origin, parts));
  }

  boundary(metadata: CompactMetadata): Message {
    return this.#add((origin) => createCompactBoundary(origin, metadata));
  }

  /** The uuid that the message added next will have, from the current line. */
  nextUuid(ahead = 1): string {
    const count = this.#fromLine + ahead;
    return `${this.#sessionId}:${this.#line}${count === 1 ? "" : `.${count}`}`;
  }

  #add(create: (origin: MessageOrigin) => Message): Message {
    const uuid = this.nextUuid();
    const message = create({
      clock: { now: () => this.#time },
      ids: { next: () => uuid },
      sessionId: this.#sessionId,
      parentUuid: this.#parent,
    });
    this.#fromLine += 1;
    this.#parent = uuid;
    this.#added.push(message);
    return message;
  }
}
