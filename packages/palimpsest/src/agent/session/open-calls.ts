import {
  createUserMessage,
  type Conversation,
  type Message,
  type ToolResultBlock,
  type UserMessage,
} from "@palimpsest/core";
import { isFields } from "../base/fields.js";

const LOST =
  "The program ended before this call did. Whether it took effect is not known: look before you do it again.";

/**
 * Results for calls that were open when a session ended in the middle; undefined where there are none. With them
 * the transcript says once what became of every call.
 */
export function answerOpenCalls(
  conversation: Pick<Conversation, "live" | "origin">,
): UserMessage | undefined {
  const open = openCalls(conversation.live);
  if (open.length === 0) return undefined;
  const content = open.map(({ id }): ToolResultBlock => ({
    type: "tool_result",
    tool_use_id: id,
    content: LOST,
    is_error: true,
  }));
  return createUserMessage(conversation.origin(), { content });
}

/** A call without a result. */
export interface OpenCall {
  readonly id: string;
  readonly name: unknown;
  readonly input: unknown;
}

/** A transcript may hold anything in place of blocks. */
export function openCalls(live: readonly Message[]): readonly OpenCall[] {
  const open = new Map<string, OpenCall>();
  for (const message of live) {
    if (message.type !== "user" && message.type !== "assistant") continue;
    const content: unknown = message.message?.content;
    for (const block of Array.isArray(content) ? content : []) {
      if (!isFields(block)) continue;
      const { type, id, name, input, tool_use_id: answered } = block;
      if (type === "tool_use" && typeof id === "string") open.set(id, { id, name, input });
      else if (type === "tool_result" && typeof answered === "string") open.delete(answered);
    }
  }
  return [...open.values()];
}
