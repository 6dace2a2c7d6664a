import type { Message } from "../../messages/message.js";
import { isLateAnswer } from "../../messages/late-answer.js";

/**
 * Every response before what was said while it was on its way. The same list where there is nothing to move.
 */
export function placeAnswers(messages: readonly Message[]): readonly Message[] {
  if (!messages.some(isLateAnswer)) return messages;
  const placed: Message[] = [];
  for (const message of messages) {
    const overtaken = new Set(isLateAnswer(message) ? message.overtakes : []);
    const at = placed.findIndex(({ uuid }) => overtaken.has(uuid));
    if (at === -1) placed.push(message);
    else placed.splice(at, 0, message);
  }
  return placed;
}
