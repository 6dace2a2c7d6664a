import type { Message } from "@palimpsest/core";
import { asFieldsList, asText, type Fields } from "../readers/recording.js";

/** Of a result, so many characters are shown. */
const RESULT_CHARACTERS = 2000;

/** A conversation as one text, so that a model reads it and does not go on with it. Long results lose their end. */
export function conversationText(messages: readonly Message[]): string {
  return messages.flatMap(partsOf).join("\n\n");
}

function partsOf(message: Message): readonly string[] {
  if (message.type === "user") return userParts(message.message.content);
  return message.type === "assistant" ? responseParts(message.message.content) : [];
}

function userParts(content: unknown): readonly string[] {
  if (typeof content === "string") return [`[User]: ${content}`];
  return asFieldsList(content).flatMap((block) => {
    if (block["type"] === "tool_result") return [`[Tool result]: ${cut(textsOf(block["content"]))}`];
    const text = asText(block["text"]);
    return text === "" ? [] : [`[User]: ${text}`];
  });
}

function responseParts(content: unknown): readonly string[] {
  const blocks = asFieldsList(content);
  const joined = (type: string, field: string): string =>
    blocks.flatMap((block) => (block["type"] === type ? [asText(block[field])] : [])).join("\n");
  const calls = blocks.filter((block) => block["type"] === "tool_use").map(shownCall);
  return [
    ["[Assistant thinking]: ", joined("thinking", "thinking")],
    ["[Assistant]: ", joined("text", "text")],
    ["[Assistant tool calls]: ", calls.join("; ")],
  ].flatMap(([who = "", text = ""]) => (text.trim() === "" ? [] : [`${who}${text}`]));
}

function shownCall(block: Fields): string {
  const input = block["input"];
  const fields = typeof input === "object" && input !== null ? Object.entries(input) : [];
  const shown = fields.map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `${asText(block["name"])}(${shown.join(", ")})`;
}

const textsOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : asFieldsList(content)
        .map((block) => asText(block["text"]))
        .join("");

const cut = (text: string): string =>
  text.length <= RESULT_CHARACTERS
    ? text
    : `${text.slice(0, RESULT_CHARACTERS).replace(/[\uD800-\uDBFF]$/, "")}\n[${text.length - RESULT_CHARACTERS} more characters]`;
