import { asText, isFields } from "../../messages/fields.js";
import type { UserMessage } from "../../messages/message.js";
import { isHumanMessage } from "../../messages/predicates.js";

const COMMAND =
  /^\s*<command-message>[^<]*<\/command-message>\s*<command-name>([^<]+)<\/command-name>(?:\s*<command-args>([\s\S]*?)<\/command-args>)?\s*/;

/**
 * What a person typed in a human message: its texts, `[image]` and the like for what is no text, and a slash
 * command as it was entered. What programs put beside it is left out.
 */
export function typedText(message: UserMessage): string {
  const content: unknown = message.message.content;
  if (typeof content === "string") return enteredCommand(content).trim();
  if (!Array.isArray(content)) return "";
  return content
    .flatMap((block: unknown): readonly string[] => {
      if (!isFields(block) || block["type"] === "tool_result") return [];
      if (block["type"] !== "text") return [placeholder(block["type"])];
      const text = asText(block["text"]);
      return isTyped(message, text) ? [enteredCommand(text).trim()] : [];
    })
    .join("\n");
}

const isTyped = (message: UserMessage, text: string): boolean =>
  isHumanMessage({ ...message, message: { role: "user", content: text } });

const placeholder = (type: unknown): string =>
  type === "image" || type === "document" ? `[${type}]` : "[attachment]";

function enteredCommand(text: string): string {
  const [wrapper, name, entered = ""] = COMMAND.exec(text) ?? [];
  if (wrapper === undefined || name === undefined) return text;
  return (
    `${name.trim()} ${entered.trim()}`.trim() +
    (text.length > wrapper.length ? "\n" : "") +
    text.slice(wrapper.length)
  );
}
