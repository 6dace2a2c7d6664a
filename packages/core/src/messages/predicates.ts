import {
  SYNTHETIC_MODEL,
  type CompactBoundary,
  type Message,
  type PreservedSegment,
  type UserMessage,
} from "./message.js";
import { wordsTyped } from "./words-typed.js";

/** The boundary of a compaction. Everything before it is history, but for its preserved segment. */
export function isCompactBoundary(message: Message): message is CompactBoundary {
  return message.type === "system" && message.subtype === "compact_boundary";
}

/** What a boundary kept, if what it says of that can be used; metadata comes from files and may be anything. */
export function preservedSegmentOf(boundary: CompactBoundary): PreservedSegment | undefined {
  const segment: unknown = boundary.compactMetadata?.preservedSegment;
  if (typeof segment !== "object" || segment === null) return undefined;
  const { headUuid, tailUuid, anchorUuid } = segment as Partial<Record<keyof PreservedSegment, unknown>>;
  const isUsable =
    typeof headUuid === "string" &&
    typeof tailUuid === "string" &&
    (anchorUuid === null || typeof anchorUuid === "string");
  return isUsable ? (segment as PreservedSegment) : undefined;
}

/** An API error that the program wrote into the conversation itself. */
export function isSyntheticError(message: Message): boolean {
  return (
    message.type === "assistant" &&
    message.isApiErrorMessage === true &&
    message.message?.model === SYNTHETIC_MODEL
  );
}

/** Whether the message is part of what the model is sent. */
export function reachesModel(message: Message): boolean {
  switch (message.type) {
    case "user":
    case "attachment":
      return true;
    case "assistant":
      return !isSyntheticError(message);
    default:
      return false;
  }
}

/** What a person typed: not meta, not a summary, not tool results alone, not a program's output. */
export function isHumanMessage(message: Message): message is UserMessage {
  if (message.type !== "user" || message.isMeta === true || message.isCompactSummary === true) return false;
  const content: unknown = message.message?.content;
  if (typeof content === "string") return wordsTyped(content) !== "";
  if (!Array.isArray(content)) return false;
  return content.some((block: { type?: unknown; text?: unknown } | null) => {
    if (block === null || typeof block !== "object" || block.type === "tool_result") return false;
    if (block.type !== "text") return true;
    return typeof block.text === "string" && wordsTyped(block.text) !== "";
  });
}

/** A block of thinking. It may come from a file and be anything. */
export const isThinkingBlock = (block: unknown): boolean => {
  const type = (block as { readonly type?: unknown } | null | undefined)?.type;
  return type === "thinking" || type === "redacted_thinking";
};

/** An assistant message that holds thinking and nothing else. */
export function isThinkingOnly(message: Message): boolean {
  if (message.type !== "assistant" || !Array.isArray(message.message?.content)) return false;
  const { content } = message.message;
  return content.length > 0 && content.every(isThinkingBlock);
}
