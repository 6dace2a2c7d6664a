import type { MessageOrigin } from "../construct.js";
import { isFields, type Fields } from "../fields.js";
import { asList } from "./as-list.js";
import { messagesFromAiSdk, type AiSdkMessage } from "./from-ai-sdk.js";
import { messagesFromAnthropic, type AnthropicMessage } from "./from-anthropic.js";
import { messagesFromLangChain } from "./from-langchain.js";
import { isOpenCodeMessage, messagesFromOpenCode } from "./from-opencode.js";
import { messagesFromOpenAiChat, type OpenAiChatMessage } from "./from-openai-chat.js";
import { ImportError, type ImportedMessages } from "./imported.js";

/** The shapes of lists that are known. */
export type ListShape = "anthropic" | "openai-chat" | "ai-sdk" | "langchain" | "opencode";

/** Which shape a list has, told from what only that one has; undefined where an element is not a message at all. */
export function shapeOfList(list: readonly unknown[]): ListShape | undefined {
  if (list.length === 0 || !list.every(isFields)) return undefined;
  if (list.every(isOpenCodeMessage)) return "opencode";
  if (list.every(isLangChain)) return "langchain";
  if (!list.every((message) => typeof message["role"] === "string")) return undefined;
  if (list.some(isAiSdk)) return "ai-sdk";
  if (list.some(isOpenAiChat)) return "openai-chat";
  return list.every(({ content }) => typeof content === "string" || Array.isArray(content))
    ? "anthropic"
    : undefined;
}

/** A list of any known shape as messages of ours. Throws `ImportError` where it has none of them. */
export function messagesFromList(
  list: readonly unknown[],
  origin?: MessageOrigin,
): ImportedMessages & { readonly shape: ListShape } {
  const shape = shapeOfList(asList(list));
  switch (shape) {
    case "anthropic":
      return { shape, ...messagesFromAnthropic(list as readonly AnthropicMessage[], origin) };
    case "openai-chat":
      return { shape, ...messagesFromOpenAiChat(list as readonly OpenAiChatMessage[], origin) };
    case "ai-sdk":
      return { shape, ...messagesFromAiSdk(list as readonly AiSdkMessage[], origin) };
    case "langchain":
      return { shape, ...messagesFromLangChain(list as readonly object[], origin) };
    case "opencode":
      return { shape, ...messagesFromOpenCode(list, origin) };
    default:
      throw new ImportError(
        "the list is not one of messages: those of Anthropic, OpenAI chat, the AI SDK, LangChain and OpenCode are known",
      );
  }
}

const langChainTypes: ReadonlySet<unknown> = new Set([
  "human",
  "ai",
  "system",
  "tool",
  "function",
  "generic",
]);

const isLangChain = (message: Fields): boolean =>
  (message["lc"] === 1 && isFields(message["kwargs"])) ||
  (langChainTypes.has(message["type"]) && ("data" in message || "content" in message));

const partsOf = ({ content }: Fields): readonly Fields[] =>
  Array.isArray(content) ? content.filter(isFields) : [];

const aiSdkTypes: ReadonlySet<unknown> = new Set([
  "tool-call",
  "tool-result",
  "reasoning",
  "tool-approval-request",
]);

const isAiSdk = (message: Fields): boolean =>
  Array.isArray(message["parts"]) ||
  (message["role"] === "tool" && Array.isArray(message["content"]) && !("tool_call_id" in message)) ||
  partsOf(message).some(
    (part) =>
      aiSdkTypes.has(part["type"]) ||
      (part["type"] === "file" && "mediaType" in part) ||
      (part["type"] === "image" && "image" in part),
  );

const chatRoles: ReadonlySet<unknown> = new Set(["developer", "tool", "function"]);
const chatParts: ReadonlySet<unknown> = new Set(["image_url", "input_audio", "refusal", "file"]);

const isOpenAiChat = (message: Fields): boolean =>
  chatRoles.has(message["role"]) ||
  Array.isArray(message["tool_calls"]) ||
  isFields(message["function_call"]) ||
  partsOf(message).some((part) => chatParts.has(part["type"]));
