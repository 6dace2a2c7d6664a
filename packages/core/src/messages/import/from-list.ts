import type { MessageOrigin } from "../construct.js";
import { asFields, contentText, isFields, type Fields } from "../fields.js";
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

/** A list as it stands in something larger: the body of a request, or an export. */
export interface ListDocument {
  readonly messages: readonly unknown[];
  /** A text, or blocks. */
  readonly system?: unknown;
}

/**
 * A list of any known shape, or the body of a request that holds one, as messages of ours; what the body says as the
 * system stands before what the list says. Throws `ImportError` where it has none of the shapes.
 */
export function messagesFromList(
  given: readonly unknown[] | ListDocument,
  origin?: MessageOrigin,
): ImportedMessages & { readonly shape: ListShape } {
  const document = asFields(given);
  const list = asList(("messages" in document ? document["messages"] : given) as readonly unknown[]);
  const imported = fromList(list, { document, origin });
  const system = [contentText(document["system"]), imported.system].filter((text) => text.trim() !== "");
  return { ...imported, system: system.join("\n\n") };
}

function fromList(
  list: readonly unknown[],
  { document, origin }: { readonly document: Fields; readonly origin: MessageOrigin | undefined },
): ImportedMessages & { readonly shape: ListShape } {
  const shape = shapeOfList(list);
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
      return { shape, ...messagesFromOpenCode({ ...document, messages: list }, origin) };
    default:
      throw notAList();
  }
}

const notAList = (): ImportError =>
  new ImportError(
    "the list is not one of messages: those of Anthropic, OpenAI chat, the AI SDK, LangChain and OpenCode are known",
  );

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
