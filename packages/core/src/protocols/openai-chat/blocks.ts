import type { ClosedBlock } from "../../messages/call/stream.js";
import type { AssistantBlock, TextBlock, ThinkingBlock } from "../../messages/content.js";
import { isFields, isTooDeep } from "../../messages/fields.js";
import { hashValue } from "../../messages/hash.js";

/**
 * Reasoning as a block. The protocol has no signatures, so it has an empty one: readers can show it and stores
 * keep it, and normalising drops it, because the Messages API would refuse it.
 */
export const thinkingBlock = (thinking: string): ThinkingBlock => ({
  type: "thinking",
  thinking,
  signature: "",
});

export const textBlock = (text: string): TextBlock => ({ type: "text", text });

export interface CallHead {
  readonly id: string;
  readonly name: string;
}

export const callBlock = ({ id, name }: CallHead): AssistantBlock => ({
  type: "tool_use",
  id,
  name,
  input: {},
});

/** A call with its arguments; without any it has none. What is not an object is kept as text beside the block. */
export function closeCall(head: CallHead, json: string): ClosedBlock {
  if (json.trim() === "") return { block: callBlock(head) };
  try {
    const input: unknown = JSON.parse(json);
    if (isFields(input) && !isTooDeep(input))
      return { block: { type: "tool_use", id: head.id, name: head.name, input } };
  } catch {
    // Reported below.
  }
  return { block: callBlock(head), malformedInput: json };
}

/** For servers that give calls no id, or several calls the same one: the same again for the same response. */
export const madeCallId = (responseId: string, position: number): string =>
  `call_${hashValue([responseId, position])}`;
