import { asText, isFields } from "../../../messages/fields.js";
import type { Message, UserMessage } from "../../../messages/message.js";
import { isHumanMessage } from "../../../messages/predicates.js";
import { wordsTyped } from "../../../messages/words-typed.js";

const COMMAND =
  /^\s*<command-message>[^<]*<\/command-message>\s*<command-name>([^<]+)<\/command-name>(?:\s*<command-args>([\s\S]*?)<\/command-args>)?\s*/;

/**
 * What a person typed in a human message: its texts, `[image]` and the like for what is not text, and a slash
 * command as it was entered. What programs put beside it is left out.
 */
export const typedText = (message: UserMessage): string => typedIn(message.message.content);

/**
 * What a person said with a message; undefined where it was none of theirs. What is sent while the model works
 * may be stored as an attachment.
 */
export function saidWith(message: Message): string | undefined {
  if (isHumanMessage(message)) return typedText(message);
  if (message.type !== "attachment" || message.isMeta === true || !isFields(message.attachment))
    return undefined;
  const { type, prompt, commandMode = "prompt", isMeta } = message.attachment;
  const isPrompt = type === "queued_command" && commandMode === "prompt" && isMeta !== true;
  return isPrompt ? typedIn(prompt) : undefined;
}

function typedIn(content: unknown): string {
  if (typeof content === "string") return enteredCommand(wordsTyped(content)).trim();
  if (!Array.isArray(content)) return "";
  return content
    .flatMap((block: unknown): readonly string[] => {
      if (!isFields(block) || block["type"] === "tool_result") return [];
      if (block["type"] !== "text") return [placeholder(block["type"])];
      const words = wordsTyped(asText(block["text"]));
      return words === "" ? [] : [enteredCommand(words).trim()];
    })
    .join("\n");
}

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
