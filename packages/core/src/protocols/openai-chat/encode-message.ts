import type {
  AssistantBlock,
  RequestMessage,
  ToolResultBlock,
  ToolResultContent,
  UserBlock,
} from "../../messages/content.js";
import { asText, isFields } from "../../messages/fields.js";
import { NO_CONTENT_TEXT } from "../../messages/normalise/wording.js";
import { blockText, imagePart } from "./block-text.js";
import type { ChatMessage, ChatPart, ChatToolCall } from "./wire.js";
import { ERROR_RESULT_NOTE, imagesBelow, RESULT_IMAGES_NOTE } from "./wording.js";

export interface EncodeMessageOptions {
  /** How system messages within the conversation are called. */
  readonly systemRole: "system" | "developer";
  readonly reasoningField: "reasoning_content" | undefined;
}

/** The variants in which a message can be encoded, each with what it remembers by message object. */
const remembered: ReadonlyMap<string, WeakMap<object, readonly ChatMessage[]>> = new Map(
  ["system", "developer"].flatMap((role) =>
    ["", "reasoning_content"].map((field) => [`${role} ${field}`, new WeakMap()] as const),
  ),
);

/**
 * One request message as chat messages: results first, each a message of its own, then the rest. Depends on
 * nothing but the message, so that a longer conversation begins with the same messages; the same message object
 * gives the same list again.
 */
export function encodeMessage(
  message: RequestMessage,
  options: EncodeMessageOptions,
): readonly ChatMessage[] {
  const memory = remembered.get(`${options.systemRole} ${options.reasoningField ?? ""}`);
  const known = memory?.get(message);
  if (known !== undefined) return known;
  const encoded = encodeAnew(message, options);
  memory?.set(message, encoded);
  return encoded;
}

function encodeAnew(message: RequestMessage, options: EncodeMessageOptions): readonly ChatMessage[] {
  const role: string = message.role;
  const content: unknown = message.content;
  const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : message.content;
  if (role === "system") {
    return [{ role: options.systemRole, content: blocks.map(blockText).join("\n\n") }];
  }
  return role === "assistant"
    ? [encodeAssistant(blocks as readonly AssistantBlock[], options)]
    : encodeUser(blocks as readonly UserBlock[]);
}

function encodeUser(blocks: readonly UserBlock[]): readonly ChatMessage[] {
  const results = blocks.filter((block) => block.type === "tool_result");
  const parts = blocks.flatMap((block) => (block.type === "tool_result" ? [] : partsOf(block)));
  const images = results.flatMap(({ content }) => imagesIn(content));
  const rest: readonly ChatPart[] =
    images.length > 0 ? [{ type: "text", text: RESULT_IMAGES_NOTE }, ...images, ...parts] : parts;
  const answers = results.map(encodeResult);
  if (rest.length === 0 && answers.length > 0) return answers;
  return [...answers, { role: "user", content: joined(rest) }];
}

/** Many servers take text alone as a string only. */
function joined(parts: readonly ChatPart[]): string | readonly ChatPart[] {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  if (texts.length < parts.length) return parts;
  return texts.length === 0 ? NO_CONTENT_TEXT : texts.join("\n\n");
}

function partsOf(block: UserBlock): readonly ChatPart[] {
  const image = block.type === "image" ? imagePart(block) : undefined;
  if (image !== undefined) return [image];
  const text = blockText(block);
  return text === "" ? [] : [{ type: "text", text }];
}

function encodeResult({ tool_use_id, content, is_error }: ToolResultBlock): ChatMessage {
  const shown = imagesIn(content).length;
  const lines = [
    ...(is_error === true ? [ERROR_RESULT_NOTE] : []),
    ...listOf(content)
      .filter((block) => block.type !== "image" || imagePart(block) === undefined)
      .map(blockText)
      .filter((text) => text !== ""),
    ...(shown > 0 ? [imagesBelow(shown)] : []),
  ];
  return {
    role: "tool",
    tool_call_id: tool_use_id,
    content: lines.length === 0 ? NO_CONTENT_TEXT : lines.join("\n"),
  };
}

function imagesIn(content: ToolResultBlock["content"]): readonly ChatPart[] {
  return listOf(content).flatMap((block) => {
    const image = block.type === "image" ? imagePart(block) : undefined;
    return image === undefined ? [] : [image];
  });
}

const listOf = (content: ToolResultBlock["content"]): readonly ToolResultContent[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);

function encodeAssistant(blocks: readonly AssistantBlock[], options: EncodeMessageOptions): ChatMessage {
  const calls = blocks.flatMap((block) => (block.type === "tool_use" ? [encodeCall(block)] : []));
  const text = assistantText(blocks);
  const field = options.reasoningField;
  const reasoning =
    field === undefined
      ? ""
      : blocks.map((block) => (block.type === "thinking" ? asText(block.thinking) : "")).join("");
  const silence = calls.length > 0 ? null : NO_CONTENT_TEXT;
  return {
    role: "assistant",
    content: text === "" ? silence : text,
    ...(field === undefined || reasoning === "" ? {} : { [field]: reasoning }),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
}

function encodeCall(block: Extract<AssistantBlock, { type: "tool_use" }>): ChatToolCall {
  const input: unknown = block.input;
  return {
    id: block.id,
    type: "function",
    function: { name: block.name, arguments: JSON.stringify(isFields(input) ? input : {}) },
  };
}

/** Text that its provider cut into blocks belongs together as it is; what else there was gets a paragraph. */
function assistantText(blocks: readonly AssistantBlock[]): string {
  const paragraphs: string[] = [];
  let wasText = false;
  for (const block of blocks) {
    const text = block.type === "tool_use" ? "" : blockText(block);
    if (text !== "") {
      if (wasText && block.type === "text") paragraphs.push(`${paragraphs.pop() ?? ""}${text}`);
      else paragraphs.push(text);
    }
    wasText = block.type === "text" && (wasText || text !== "");
  }
  return paragraphs.join("\n\n");
}
