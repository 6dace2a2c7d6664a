import type { Message } from "../../messages/message.js";
import { renderAttachment } from "../../messages/normalise/render-attachment.js";
import { isSyntheticError } from "../../messages/predicates.js";

/** The blocks with which a stored message takes part in a request; none for what never reaches the model. */
export function sentBlocks(message: Message): readonly unknown[] {
  switch (message.type) {
    case "user":
      return contentBlocks(message.message?.content);
    case "assistant":
      return isSyntheticError(message) ? [] : contentBlocks(message.message?.content);
    case "attachment":
      return renderAttachment(message.attachment);
    default:
      return [];
  }
}

const contentBlocks = (content: unknown): readonly unknown[] =>
  typeof content === "string" ? [content] : Array.isArray(content) ? content : [];
