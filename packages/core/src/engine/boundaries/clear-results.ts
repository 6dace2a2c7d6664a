import { isThinkingBlock } from "../../messages/predicates.js";
import type { AssistantBlock, UserBlock } from "../../messages/content.js";
import type { AssistantMessage, Message, UserMessage } from "../../messages/message.js";
import { CLEARED_RESULT_TEXT, clearBlock } from "./cleared-result.js";
import { isLocalClearing, isClearingBoundary, type ClearingBoundary } from "./clearing-boundary.js";

/**
 * The messages with every clearing among them applied to what stands before its boundary: stored originals
 * become what the live conversation was. Messages that were already cleared stay the same objects, and a list
 * in which nothing changes is returned itself. Deletions that a provider makes change nothing here.
 */
export function applyClearings(messages: readonly Message[]): readonly Message[] {
  return rewrite(messages, isClearingBoundary);
}

/** The live messages after a new clearing: what it clears is cleared, and its boundary stands at the end. */
export function clearResults(messages: readonly Message[], boundary: ClearingBoundary): readonly Message[] {
  return rewrite([...messages, boundary], (message): message is ClearingBoundary => message === boundary);
}

/** From the end to the start: whatever a boundary says holds for all that comes before it. */
function rewrite(
  messages: readonly Message[],
  counts: (message: Message) => message is ClearingBoundary,
): readonly Message[] {
  const texts = new Map<string, string>();
  const strippedAfter = new Set<string>();
  const rewritten: Message[] = [];
  let isChanged = false;
  for (const message of messages.toReversed()) {
    if (counts(message) && isLocalClearing(message)) noteBoundary(message, texts, strippedAfter);
    strippedAfter.delete(message.uuid);
    const next = rewriteMessage(message, texts, strippedAfter.size > 0);
    isChanged ||= next !== message;
    if (next !== undefined) rewritten.push(next);
  }
  return isChanged ? rewritten.toReversed() : messages;
}

function noteBoundary(
  { microcompactMetadata: metadata }: ClearingBoundary,
  texts: Map<string, string>,
  strippedAfter: Set<string>,
): void {
  const own: unknown = metadata.texts;
  const hints = (typeof own === "object" && own !== null ? own : {}) as Readonly<Record<string, unknown>>;
  for (const id of metadata.toolUseIds) {
    const text = Object.hasOwn(hints, id) ? hints[id] : undefined;
    texts.set(id, typeof text === "string" ? text : CLEARED_RESULT_TEXT);
  }
  const after: unknown = metadata.thinkingRemovedAfter;
  if (typeof after === "string") strippedAfter.add(after);
}

function rewriteMessage(
  message: Message,
  texts: ReadonlyMap<string, string>,
  withoutThinking: boolean,
): Message | undefined {
  if (message.type === "user" && texts.size > 0) return clearIn(message, texts);
  if (message.type === "assistant" && withoutThinking) return stripThinking(message);
  return message;
}

function clearIn(message: UserMessage, texts: ReadonlyMap<string, string>): UserMessage {
  const content: unknown = message.message?.content;
  if (!Array.isArray(content)) return message;
  let isChanged = false;
  const blocks = (content as readonly UserBlock[]).map((block) => {
    const text = block?.type === "tool_result" ? texts.get(block.tool_use_id) : undefined;
    if (text === undefined || block?.type !== "tool_result") return block;
    const cleared = clearBlock(block, text);
    isChanged ||= cleared !== block;
    return cleared;
  });
  return isChanged ? { ...message, message: { ...message.message, content: blocks } } : message;
}

/** A message that held nothing else is gone with its thinking. */
export function stripThinking(message: AssistantMessage): AssistantMessage | undefined {
  const content: unknown = message.message?.content;
  if (!Array.isArray(content) || content.length === 0) return message;
  const blocks = (content as readonly AssistantBlock[]).filter((block) => !isThinkingBlock(block));
  if (blocks.length === content.length) return message;
  return blocks.length === 0 ? undefined : { ...message, message: { ...message.message, content: blocks } };
}
