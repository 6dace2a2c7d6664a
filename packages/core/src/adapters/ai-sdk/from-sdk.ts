import type { ToolDefinition } from "../../messages/call/request.js";
import type { ModelResponse, ResponseUsage } from "../../messages/call/response.js";
import type { AssistantBlock, UserBlock } from "../../messages/content.js";
import { asText, isFields, type Fields } from "../../messages/fields.js";
import { aiSdkParts, readModelMessage } from "../../messages/import/from-ai-sdk.js";
import type { PlacedBlock } from "../../messages/import/imported.js";
import { noteOrigins } from "../origins.js";
import type { GivenMessage } from "../turn-input.js";
import type { SdkGenerated, SdkMessage, SdkPart } from "./sdk-types.js";

const given = new WeakMap<object, GivenMessage>();

/** A message in our words; the same object again for the same one. Each block knows its part. */
export function fromSdk(message: SdkMessage): GivenMessage {
  let known = given.get(message);
  if (known === undefined) given.set(message, (known = convert(message)));
  return known;
}

function convert(message: SdkMessage): GivenMessage {
  const { role, blocks } = readModelMessage({ ...message, content: partsOf(message) }, 0);
  const content = noteOrigins(message, blocks.map(signed));
  if (role === "assistant") return { role, content: content as readonly AssistantBlock[] };
  return {
    role: "user",
    content: content as readonly UserBlock[],
    ...(role === "system" ? { isMeta: true, isPinned: true } : {}),
  };
}

/** Thinking without a signature goes back to its model as it came: it must not be left out. */
const signed = ({ block, part }: PlacedBlock): PlacedBlock =>
  block.type === "thinking" && block.signature === ""
    ? { block: { ...block, signature: "unsigned" }, part }
    : { block, part };

/** A text alone counts as one part. */
export const partsOf = ({ content }: SdkMessage): readonly SdkPart[] => aiSdkParts({ content });

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
