import {
  createConversation,
  messagesApiCapabilities,
  type Conversation,
  type ConversationOptions,
  type Message,
} from "@palimpsest/core";
import { compaction } from "@palimpsest/core/compaction";
import {
  assistantMessage,
  MODEL,
  offeredTools,
  OUTPUT_LINE,
  readCall,
  toolResult,
  userMessage,
} from "./made-up-message.js";

interface Shape {
  readonly messages: number;
  /** Of each result. */
  readonly bytes: number;
}

/** Live messages of a conversation: what a person said, then calls and results. */
export function madeUpMessages({ messages: count, bytes }: Shape): readonly Message[] {
  const messages: Message[] = [userMessage({ uuid: "m0" }, "begin")];
  const place = () => ({ uuid: `m${messages.length}`, parentUuid: `m${messages.length - 1}` });
  for (let round = 0; messages.length < count; round += 1) {
    const id = `toolu_${round}`;
    const content = [readCall(id, `/src/${round}.ts`)];
    messages.push(assistantMessage(place(), { id: `msg_${round}`, content }));
    const output = `${round}\n${OUTPUT_LINE.repeat(Math.ceil(bytes / OUTPUT_LINE.length))}`;
    messages.push(userMessage(place(), [toolResult(id, output)]));
  }
  return messages;
}

/** The whole engine on these messages, at a time shortly after them. */
export function startConversation(
  messages: readonly Message[],
  more: Pick<ConversationOptions, "settings" | "notes" | "provider"> = {},
): Conversation {
  let ids = 0;
  return createConversation(
    {
      model: MODEL,
      maxTokens: 8000,
      sessionId: "bench",
      clock: { now: () => Date.UTC(2026, 10, 15, 10, 0, 10) },
      ids: { next: () => `n${(ids += 1)}` },
      compaction,
      capabilities: messagesApiCapabilities,
      system: { custom: "rules of the house. ".repeat(500) },
      tools: () => offeredTools,
      ...more,
    },
    messages,
  );
}
