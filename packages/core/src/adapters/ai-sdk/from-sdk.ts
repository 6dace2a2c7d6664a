import type { ToolDefinition } from "../../messages/call/request.js";
import type { ModelResponse, ResponseUsage } from "../../messages/call/response.js";
import type { AssistantBlock, ContentBlock, ToolResultContent, UserBlock } from "../../messages/content.js";
import { asText, isFields, type Fields } from "../../messages/fields.js";
import { noteOrigins } from "../origins.js";
import type { GivenMessage } from "../turn-input.js";
import { fileBlock } from "./file-block.js";
import type { SdkGenerated, SdkMessage, SdkPart } from "./sdk-types.js";

const given = new WeakMap<object, GivenMessage>();

/** A message in our words; the same object again for the same one. Each block knows its part. */
export function fromSdk(message: SdkMessage): GivenMessage {
  let known = given.get(message);
  if (known === undefined) given.set(message, (known = convert(message)));
  return known;
}

function convert(message: SdkMessage): GivenMessage {
  const made = partsOf(message).flatMap((part, index) => {
    const block = blockOf(part);
    return block === undefined ? [] : [{ block, part: index }];
  });
  const content = noteOrigins(message, made);
  if (message.role === "assistant")
    return { role: "assistant", content: content as readonly AssistantBlock[] };
  const isMeta = message.role === "system" ? { isMeta: true } : {};
  return { role: "user", content: content as readonly UserBlock[], ...isMeta };
}

/** A text alone counts as one part. */
export function partsOf({ content }: SdkMessage): readonly SdkPart[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content.filter(isPart) : [];
}

/** As models take them: no text alone, and pictures as files. */
export const inParts = (message: SdkMessage): SdkMessage =>
  message.role === "system"
    ? message
    : {
        ...message,
        content: partsOf(message).map((part) =>
          part.type === "image"
            ? { ...part, type: "file", mediaType: part["mediaType"] ?? "image/*", data: part["image"] }
            : part,
        ),
      };

const isPart = (part: unknown): part is SdkPart => isFields(part) && typeof part["type"] === "string";

/** Undefined for what no model sees. What has no like here stands for itself as a text, and is sent as it came. */
function blockOf(part: SdkPart): ContentBlock | undefined {
  switch (part.type) {
    case "text":
      return { type: "text", text: asText(part["text"]) };
    case "reasoning":
      return thinkingBlock(part);
    case "image":
    case "file":
      return fileBlock(part);
    case "tool-call":
      return part["providerExecuted"] === true ? placeholder(part) : toolUse(part);
    case "tool-result":
      return toolResult(part);
    case "tool-approval-request":
    case "tool-approval-response":
    case "source":
      return undefined;
    default:
      return placeholder(part);
  }
}

const placeholder = (part: SdkPart): ContentBlock => ({ type: "text", text: JSON.stringify(part) });

const anthropicOptions = (part: Fields): Fields => {
  const options = part["providerOptions"];
  const own = isFields(options) ? options["anthropic"] : undefined;
  return isFields(own) ? own : {};
};

/** Thinking of other models has no signature: it goes back as it came, or not at all. */
function thinkingBlock(part: SdkPart): ContentBlock {
  const { signature, redactedData } = anthropicOptions(part);
  if (typeof redactedData === "string") return { type: "redacted_thinking", data: redactedData };
  return { type: "thinking", thinking: asText(part["text"]), signature: asText(signature) || "unsigned" };
}

function toolUse(part: SdkPart): ContentBlock {
  const { toolCallId, toolName, input } = part;
  return {
    type: "tool_use",
    id: asText(toolCallId),
    name: asText(toolName),
    input: isFields(input) ? input : {},
  };
}

function toolResult(part: SdkPart): ContentBlock {
  const output = isFields(part["output"]) ? part["output"] : {};
  const { type, value } = output;
  const isError = type === "error-text" || type === "error-json" || type === "execution-denied";
  return {
    type: "tool_result",
    tool_use_id: asText(part["toolCallId"]),
    content: resultContent(output),
    ...(isError ? { is_error: true } : {}),
  };

  function resultContent({ reason }: Fields): string | readonly ToolResultContent[] {
    if (type === "execution-denied") return asText(reason) || "The execution was denied.";
    if (type === "content" && Array.isArray(value)) return value.flatMap(resultPart);
    return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  }
}

function resultPart(part: unknown): readonly ToolResultContent[] {
  if (!isPart(part)) return [];
  if (part.type === "text") return [{ type: "text", text: asText(part["text"]) }];
  const { data, url, mediaType } = part;
  const type = asText(mediaType) || (part.type.startsWith("image") ? "image/png" : "application/pdf");
  return [fileBlock({ type: "file", data: data ?? url, mediaType: type }) as ToolResultContent];
}

/** A tool as far as its size goes. */
export function toolFromSdk(tool: object): ToolDefinition {
  const { name, description, inputSchema, id, args } = tool as Fields;
  return {
    name: asText(name),
    ...(typeof description === "string" ? { description } : {}),
    ...(isFields(inputSchema) ? { input_schema: inputSchema } : { id, args }),
  };
}

/** The answer as the message that the framework will make of it. */
function answerMessage(content: readonly object[]): SdkMessage {
  const parts = content.filter(isPart).map(({ providerMetadata, ...part }): SdkPart => {
    const base = {
      ...part,
      ...(providerMetadata === undefined ? {} : { providerOptions: providerMetadata }),
    };
    if (part.type === "tool-call" && typeof part["input"] === "string") {
      return { ...base, type: part.type, input: parseInput(part["input"]) };
    }
    if (part.type === "tool-result" && part["output"] === undefined) {
      const { result, isError, ...rest } = base as SdkPart;
      return {
        ...rest,
        type: part.type,
        output: { type: isError === true ? "error-json" : "json", value: result },
      };
    }
    return base;
  });
  return { role: "assistant", content: parts };
}

function parseInput(text: string): unknown {
  try {
    return text.trim() === "" ? {} : JSON.parse(text);
  } catch {
    return {};
  }
}

/** A whole answer in our words. */
export function responseFromSdk(generated: SdkGenerated, model: string): ModelResponse {
  const { content, finishReason, usage, response } = generated;
  const { id } = (response ?? {}) as Fields;
  const message = fromSdk(answerMessage(content));
  const raw = isFields(finishReason) ? finishReason["raw"] : undefined;
  return {
    id: asText(id) || "unknown",
    type: "message",
    role: "assistant",
    model,
    content: message.content as readonly AssistantBlock[],
    stop_reason: typeof raw === "string" ? raw : null,
    stop_sequence: null,
    usage: usageFromSdk(usage),
  };
}

const numberIn = (fields: unknown, name: string): number => {
  const value = isFields(fields) ? fields[name] : undefined;
  return typeof value === "number" ? value : 0;
};

/** Usage of a model call, or of a step. */
export function usageFromSdk(usage: unknown): ResponseUsage {
  if (!isFields(usage)) return { input_tokens: 0, output_tokens: 0 };
  const { raw, inputTokens, outputTokens } = usage;
  if (isFields(raw) && typeof raw["input_tokens"] === "number" && typeof raw["output_tokens"] === "number") {
    return raw as unknown as ResponseUsage;
  }
  const isCall = isFields(inputTokens);
  const details = isCall ? inputTokens : usage["inputTokenDetails"];
  const total = isCall ? numberIn(inputTokens, "total") : numberIn(usage, "inputTokens");
  const cacheRead = numberIn(details, isCall ? "cacheRead" : "cacheReadTokens");
  const cacheWrite = numberIn(details, isCall ? "cacheWrite" : "cacheWriteTokens");
  return {
    input_tokens: Math.max(0, total - cacheRead - cacheWrite),
    output_tokens: isFields(outputTokens) ? numberIn(outputTokens, "total") : numberIn(usage, "outputTokens"),
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
  };
}
