import type { AssistantBlock } from "../messages/content.js";
import { hashMessage, hashValue } from "../messages/hash.js";
import type { GivenMessage } from "./turn-input.js";

/** What a message is recognised by: as it is, and where it is an answer, by what survives its way through a framework. */
export interface Print {
  readonly exact: string;
  readonly answer: string | undefined;
}

export const printOf = (message: GivenMessage): Print => ({
  exact: hashMessage(message),
  answer: message.role === "assistant" ? answerPrint(message.content) : undefined,
});

export const matches = (print: Print | undefined, known: string): boolean =>
  print?.exact === known || print?.answer === known;

/** The calls by their ids and the text without its blanks. */
export function answerPrint(content: readonly AssistantBlock[]): string {
  const calls = content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
  const text = content.map((block) => (block.type === "text" ? block.text : "")).join("");
  return `answer ${hashValue([calls, text.replaceAll(/\s/g, "")])}`;
}
