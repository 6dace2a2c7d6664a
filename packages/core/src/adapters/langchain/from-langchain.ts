import type { ToolDefinition } from "../../messages/call/request.js";
import type { ModelResponse, ResponseUsage } from "../../messages/call/response.js";
import type { AssistantBlock, ContentBlock, ToolResultContent, UserBlock } from "../../messages/content.js";
import { asText, isFields, type Fields } from "../../messages/fields.js";
import { noteOrigins } from "../origins.js";
import type { GivenMessage } from "../turn-input.js";
import type { LangChainMessage } from "./langchain-types.js";

const given = new WeakMap<object, GivenMessage>();

/** A message in our words; the same object again for the same one. Each block knows its message. */
export function fromLangChain(message: LangChainMessage): GivenMessage {
  let known = given.get(message);
  if (known === undefined) given.set(message, (known = convert(message)));
  return known;
}

function convert(message: LangChainMessage): GivenMessage {
  if (message.type === "ai") {
    const content = noteOrigins(message, assistantBlocks(message)) as readonly AssistantBlock[];
    return { role: "assistant", content };
  }
  const blocks = message.type === "tool" ? [{ block: toolResult(message), part: 0 }] : partBlocks(message);
  const content = noteOrigins(message, blocks) as readonly UserBlock[];
  return { role: "user", content, ...(message.type === "system" ? { isMeta: true } : {}) };
}

interface Made {
  readonly block: ContentBlock;
  readonly part: number;
}

/** A text alone counts as one part. */
export function partsOf({ content }: LangChainMessage): readonly Fields[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content.filter(isFields) : [];
}

const partBlocks = (message: LangChainMessage): readonly Made[] =>
  partsOf(message).map((part, index) => ({ block: userBlock(part), part: index }));

/** What has no like here stands for itself as a text, and is sent as it came. */
function userBlock(part: Fields): ContentBlock {
  const { type, text, source, image_url: image } = part;
  if (type === "text") return { type, text: asText(text) };
  if ((type === "image" || type === "document") && isFields(source)) {
    return { type, source } as ContentBlock;
  }
  if (type === "image_url") {
    const url = asText(isFields(image) ? image["url"] : image);
    const [, mediaType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
    return mediaType === undefined || data === undefined
      ? { type: "image", source: { type: "url", url } }
      : { type: "image", source: { type: "base64", media_type: mediaType, data } };
  }
  return { type: "text", text: JSON.stringify(part) };
}

/** Texts and signed thinking from the content, calls from where the framework keeps them. */
function assistantBlocks(message: LangChainMessage): readonly Made[] {
  const parts = partsOf(message).flatMap((part, index): readonly Made[] => {
    const { type, text, thinking, signature, data } = part;
    if (type === "text")
      return asText(text).trim() === "" ? [] : [{ block: { type, text: asText(text) }, part: index }];
    if (type === "thinking" && typeof signature === "string") {
      return [{ block: { type, thinking: asText(thinking), signature }, part: index }];
    }
    return type === "redacted_thinking" ? [{ block: { type, data: asText(data) }, part: index }] : [];
  });
  return [...parts, ...callsOf(message).map((block) => ({ block, part: -1 }))];
}

function callsOf(message: LangChainMessage): readonly ContentBlock[] {
  const { tool_calls: calls } = message as LangChainMessage & { readonly tool_calls?: unknown };
  return (Array.isArray(calls) ? calls.filter(isFields) : []).map(({ id, name, args }) => ({
    type: "tool_use",
    id: asText(id),
    name: asText(name),
    input: isFields(args) ? args : {},
  }));
}

function toolResult(message: LangChainMessage): ContentBlock {
  const { content, tool_call_id: id, status } = message as unknown as Fields;
  return {
    type: "tool_result",
    tool_use_id: asText(id),
    content:
      typeof content === "string"
        ? content
        : (partsOf(message).map(userBlock) as readonly ToolResultContent[]),
    ...(status === "error" ? { is_error: true } : {}),
  };
}

/** A tool as far as its size goes: what its schema is made of only the framework knows. */
export function toolFromLangChain(tool: unknown): ToolDefinition {
  const { name, description, schema } = isFields(tool) ? tool : {};
  const isPlain = isFields(schema) && typeof schema["type"] === "string" && isFields(schema["properties"]);
  return {
    name: asText(name),
    ...(typeof description === "string" ? { description } : {}),
    ...(isPlain ? { input_schema: schema } : {}),
  };
}

/** What the model answered, in our words. */
export function responseFromLangChain(answer: unknown, model: string): ModelResponse {
  const fields = isFields(answer) ? answer : {};
  const metadata = isFields(fields["response_metadata"]) ? fields["response_metadata"] : {};
  // A streamed answer has it elsewhere.
  const { stop_reason: streamed } = isFields(fields["additional_kwargs"]) ? fields["additional_kwargs"] : {};
  const { stop_reason: stopReason = streamed } = metadata;
  const content = isFields(answer) ? fromLangChain(answer as unknown as LangChainMessage).content : [];
  return {
    id: asText(fields["id"]) || "unknown",
    type: "message",
    role: "assistant",
    model,
    content: content as readonly AssistantBlock[],
    stop_reason: typeof stopReason === "string" ? stopReason : null,
    stop_sequence: null,
    usage: usageOf(fields["usage_metadata"], metadata["usage"]),
  };
}

const numberIn = (fields: unknown, name: string): number => {
  const value = isFields(fields) ? fields[name] : undefined;
  return typeof value === "number" ? value : 0;
};

/** As the server reported it, where that is still there. */
function usageOf(usage: unknown, raw: unknown): ResponseUsage {
  if (isFields(raw) && typeof raw["input_tokens"] === "number" && typeof raw["output_tokens"] === "number") {
    return raw as unknown as ResponseUsage;
  }
  const details = isFields(usage) ? usage["input_token_details"] : undefined;
  const cacheRead = numberIn(details, "cache_read");
  const cacheWrite = numberIn(details, "cache_creation");
  return {
    input_tokens: Math.max(0, numberIn(usage, "input_tokens") - cacheRead - cacheWrite),
    output_tokens: numberIn(usage, "output_tokens"),
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
  };
}
