import type { MessageOrigin } from "../construct.js";
import type { ContentBlock, ToolResultContent } from "../content.js";
import { asText, isFields, type Fields } from "../fields.js";
import { asList } from "./as-list.js";
import { reasoningBlock } from "./ai-sdk-reasoning.js";
import { fileBlock } from "./file-block.js";
import { readUiMessage } from "./from-ai-sdk-ui.js";
import {
  asImported,
  jsonText,
  noMessage,
  standIn,
  wrongContent,
  wrongRole,
  type ImportedMessages,
  type ReadMessage,
} from "./imported.js";

/** A message of the AI SDK: a `ModelMessage`, one of a model's prompt, or a `UIMessage`. */
export type AiSdkMessage =
  | { readonly role: string; readonly content: unknown }
  | { readonly role: string; readonly parts: readonly object[] };

/**
 * Messages of the AI SDK as messages of ours. An answer of a `UIMessage` that took several steps becomes as many
 * answers, with the results between them. Throws `ImportError` where an element is not a message.
 */
export function messagesFromAiSdk(list: readonly AiSdkMessage[], origin?: MessageOrigin): ImportedMessages {
  const read = asList(list).flatMap((given: unknown, index): readonly ReadMessage[] => {
    if (!isFields(given)) throw noMessage(index);
    return Array.isArray(given["parts"]) ? readUiMessage(given, index) : [readModelMessage(given, index)];
  });
  return asImported(read, origin);
}

export interface AiSdkPart extends Fields {
  readonly type: string;
}

const isPart = (part: unknown): part is AiSdkPart => isFields(part) && typeof part["type"] === "string";

/** The parts of a message; a text alone counts as one part. */
export function aiSdkParts({ content }: { readonly content: unknown }): readonly AiSdkPart[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content.filter(isPart) : [];
}

const roles: ReadonlyMap<unknown, ReadMessage["role"]> = new Map([
  ["system", "system"],
  ["user", "user"],
  ["tool", "user"],
  ["assistant", "assistant"],
]);

/** One message of a prompt. */
export function readModelMessage(message: Fields, index: number): ReadMessage {
  const role = roles.get(message["role"]);
  if (role === undefined) throw wrongRole(index, message["role"], "system, user, assistant or tool");
  const { content } = message;
  if (typeof content !== "string" && !Array.isArray(content)) throw wrongContent(index);
  return {
    role,
    blocks: aiSdkParts({ content }).flatMap((part, place) => {
      const block = blockOf(part);
      return block === undefined ? [] : [{ block, part: place }];
    }),
  };
}

/** Undefined for what no model sees. */
function blockOf(part: AiSdkPart): ContentBlock | undefined {
  switch (part.type) {
    case "text":
      return { type: "text", text: asText(part["text"]) };
    case "reasoning":
      return reasoningBlock(part);
    case "image":
    case "file":
      return typedText(part) ?? fileBlock(untyped(part));
    case "tool-call":
      return part["providerExecuted"] === true ? standIn(part) : callBlock(part);
    case "tool-result":
      return resultBlock(part);
    case "tool-approval-request":
    case "tool-approval-response":
    case "source":
      return undefined;
    default:
      return standIn(part);
  }
}

/** Since version 7 the data of a file may say what it is: `{ type: "data", data }`, `{ type: "url", url }`. */
function untyped(part: Fields): Fields {
  const { data } = part;
  if (!isFields(data) || typeof data["type"] !== "string") return part;
  return { ...part, data: data["data"] ?? data["url"] };
}

/** A file that is given as its text. */
function typedText({ data }: Fields): ContentBlock | undefined {
  if (!isFields(data) || data["type"] !== "text" || asText(data["text"]).trim() === "") return undefined;
  return { type: "document", source: { type: "text", media_type: "text/plain", data: asText(data["text"]) } };
}

const callBlock = ({ toolCallId, toolName, input }: Fields): ContentBlock => ({
  type: "tool_use",
  id: asText(toolCallId),
  name: asText(toolName),
  input: isFields(input) ? input : {},
});

function resultBlock(part: Fields): ContentBlock {
  const output = isFields(part["output"]) ? part["output"] : {};
  const { type } = output;
  const isError = type === "error-text" || type === "error-json" || type === "execution-denied";
  return {
    type: "tool_result",
    tool_use_id: asText(part["toolCallId"]),
    content: resultContent(output),
    ...(isError ? { is_error: true } : {}),
  };
}

function resultContent({ type, value, reason }: Fields): string | readonly ToolResultContent[] {
  if (type === "execution-denied") return asText(reason) || "The execution was denied.";
  if (type === "content" && Array.isArray(value)) return value.flatMap(resultPart);
  return typeof value === "string" ? value : jsonText(value);
}

function resultPart(part: unknown): readonly ToolResultContent[] {
  if (!isPart(part)) return [];
  if (part.type === "text") return [{ type: "text", text: asText(part["text"]) }];
  const typed = typedText(part);
  if (typed !== undefined) return [typed as ToolResultContent];
  const { data, url, mediaType } = untyped(part);
  const type = asText(mediaType) || (part.type.startsWith("image") ? "image/png" : "application/pdf");
  return [fileBlock({ type: "file", data: data ?? url, mediaType: type }) as ToolResultContent];
}
