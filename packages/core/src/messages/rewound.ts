import { createSystemMessage, type MessageOrigin } from "./construct.js";
import type { Message, SystemMessage } from "./message.js";

/** The conversation goes on after an earlier message, its parent, as it was then. What came after stays on a branch of its own. */
export interface RewoundMarker extends SystemMessage {
  readonly subtype: "rewound";
  /** Messages before it that are not part of it, because a response that is was stored after them. */
  readonly leftOut?: readonly string[];
}

/** `origin.parentUuid` is what the conversation goes on after. */
export function createRewoundMarker(origin: MessageOrigin, leftOut: readonly string[]): RewoundMarker {
  const base = createSystemMessage(origin, {
    subtype: "rewound",
    content: "Gone back to an earlier message",
    level: "info",
  });
  return { ...base, subtype: "rewound", ...(leftOut.length === 0 ? {} : { leftOut }) };
}

/** Whether a message says that the conversation went back to an earlier one. */
export const isRewound = (message: Message): message is RewoundMarker =>
  message.type === "system" && message.subtype === "rewound";

/** The messages without those that a marker after them leaves out; it may come from a file and be anything. */
export function withoutLeftOut(messages: readonly Message[]): readonly Message[] {
  const gone = new Set<unknown>();
  const left: Message[] = [];
  for (const message of messages.toReversed()) {
    if (gone.has(message.uuid)) continue;
    left.push(message);
    const named: unknown = isRewound(message) ? message.leftOut : undefined;
    if (Array.isArray(named)) for (const uuid of named) gone.add(uuid);
  }
  return gone.size === 0 ? messages : left.toReversed();
}
