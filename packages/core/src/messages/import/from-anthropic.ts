import type { MessageOrigin } from "../construct.js";
import type { ContentBlock } from "../content.js";
import { isFields, type Fields } from "../fields.js";
import type { Usage } from "../message.js";
import { asList } from "./as-list.js";
import {
  asImported,
  noMessage,
  wrongContent,
  wrongRole,
  type ImportedMessages,
  type ReadMessage,
} from "./imported.js";

/** A message as people write them for the Messages API; those of the official client fit, and whole responses too. */
export interface AnthropicMessage {
  readonly role: "user" | "assistant" | "system";
  /** Blocks of any kind: those that nobody here knows are left out when they are sent. */
  readonly content: string | readonly (ContentBlock | { readonly type: string })[];
}

/**
 * Messages of the Messages API as messages of ours. Whatever blocks they hold is kept as it is: normalising sees to
 * what the API would refuse. Throws `ImportError` where an element is not a message.
 */
export function messagesFromAnthropic(
  list: readonly AnthropicMessage[],
  origin?: MessageOrigin,
): ImportedMessages {
  return asImported(asList(list).map(readAnthropicMessage), origin);
}

export function readAnthropicMessage(given: unknown, index: number): ReadMessage {
  if (!isFields(given)) throw noMessage(index);
  const { role, content } = given;
  if (role !== "user" && role !== "assistant" && role !== "system")
    throw wrongRole(index, role, "user, assistant or system");
  if (typeof content !== "string" && !Array.isArray(content)) throw wrongContent(index);
  const blocks: readonly unknown[] =
    typeof content === "string" ? [{ type: "text", text: content }] : content;
  return {
    role,
    blocks: blocks.map((block, part) => ({
      block: role === "assistant" ? (block as ContentBlock) : said(block),
      part,
    })),
    ...(given["type"] === "message" ? { answer: answerOf(given) } : {}),
  };
}

const userTypes: ReadonlySet<unknown> = new Set([
  "text",
  "image",
  "document",
  "search_result",
  "tool_result",
  "container_upload",
]);

/** Words in a block that the API does not know are words all the same. */
function said(block: unknown): ContentBlock {
  if (typeof block === "string") return { type: "text", text: block };
  const { type, text } = isFields(block) ? block : {};
  return typeof text === "string" && !userTypes.has(type) ? { type: "text", text } : (block as ContentBlock);
}

/** A response that was put into the list whole says more than a message. */
function answerOf({ id, model, usage, stop_reason: stopReason }: Fields): NonNullable<ReadMessage["answer"]> {
  const isCounted = isFields(usage) && typeof usage["input_tokens"] === "number";
  return {
    ...(typeof id === "string" && id !== "" ? { id } : {}),
    ...(typeof model === "string" && model !== "" ? { model } : {}),
    ...(isCounted ? { usage: usage as unknown as Usage } : {}),
    ...(typeof stopReason === "string" ? { stopReason } : {}),
  };
}
