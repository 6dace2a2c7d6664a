import type { AssistantMessage, Message } from "./message.js";

/** A response that was stored after messages that it does not answer to, because they were said while it was on its way. */
export interface LateAnswer extends AssistantMessage {
  /** Those messages: it stands before them. */
  readonly overtakes: readonly string[];
}

/** It may come from a file and be anything. */
export const isLateAnswer = (message: Message): message is LateAnswer => {
  const { overtakes } = message as Partial<LateAnswer>;
  return message.type === "assistant" && Array.isArray(overtakes) && overtakes.length > 0;
};

/** Whether a response was given to a context that a compaction has replaced since: its usage says nothing of this one. */
export const answersEarlierContext = (message: Message): boolean =>
  (message as { readonly answersEarlierContext?: unknown }).answersEarlierContext === true;

/** The first and the last of a stretch of a list, in the order in which they were stored. */
export function storedEnds(
  messages: readonly Message[],
): { readonly head: Message; readonly tail: Message } | undefined {
  const [first] = messages;
  const last = messages.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const overtaken = isLateAnswer(first) ? first.overtakes[0] : undefined;
  return {
    head: messages.find(({ uuid }) => uuid === overtaken) ?? first,
    tail:
      messages.findLast((message) => isLateAnswer(message) && message.overtakes.includes(last.uuid)) ?? last,
  };
}
