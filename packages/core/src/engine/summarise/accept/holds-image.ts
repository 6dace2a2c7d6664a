import type { Message } from "../../../messages/message.js";
import { sentBlocks } from "../../measure/sent-blocks.js";

/** Whether a request with these messages has a picture in it, results included. */
export const holdsImage = (messages: readonly Message[]): boolean =>
  messages.some((message) => sentBlocks(message).some(isOrHoldsImage));

function isOrHoldsImage(block: unknown): boolean {
  if (typeof block !== "object" || block === null) return false;
  const { type, content } = block as { readonly type?: unknown; readonly content?: unknown };
  return type === "image" || (Array.isArray(content) && content.some(isOrHoldsImage));
}
