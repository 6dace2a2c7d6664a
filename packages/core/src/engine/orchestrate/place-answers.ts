import type { AssistantMessage, Message } from "../../messages/message.js";

/** A response that was stored after something that it does not answer to, and what it does answer to. */
export interface LateAnswer extends AssistantMessage {
  /** The last message that its request held. */
  readonly answersTo: string;
}

export const isLateAnswer = (message: Message): message is LateAnswer =>
  message.type === "assistant" && typeof (message as Partial<LateAnswer>).answersTo === "string";

/**
 * Every response right after what it answers to: what was said while it was on its way comes after it. The same
 * list where there is nothing to move.
 */
export function placeAnswers(messages: readonly Message[]): readonly Message[] {
  if (!messages.some(isLateAnswer)) return messages;
  const placed: Message[] = [];
  for (const message of messages) {
    const at = isLateAnswer(message) ? placed.findLastIndex(({ uuid }) => uuid === message.answersTo) : -1;
    if (at === -1) placed.push(message);
    else placed.splice(at + 1, 0, message);
  }
  return placed;
}
