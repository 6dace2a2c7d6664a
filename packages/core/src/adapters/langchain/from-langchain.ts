import type { ToolDefinition } from "../../messages/call/request.js";
import type { ModelResponse, ResponseUsage } from "../../messages/call/response.js";
import type { AssistantBlock, UserBlock } from "../../messages/content.js";
import { asText, isFields, type Fields } from "../../messages/fields.js";
import {
  isLangChainRole,
  langChainParts,
  readLangChainMessage,
} from "../../messages/import/from-langchain.js";
import type { PlacedBlock } from "../../messages/import/imported.js";
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
  // The fields of a message are not all its own: some are those of its class.
  const { type, content: given } = message;
  const { tool_calls: calls, tool_call_id: callId, status, role: own } = message as unknown as Fields;
  // Whatever else an agent keeps among its messages goes back as it came.
  const known = isLangChainRole(type === "generic" ? own : type) ? type : "human";
  const fields = { type: known, role: own, content: given, tool_calls: calls, tool_call_id: callId, status };
  const { role, blocks } = readLangChainMessage(fields, 0);
  const content = noteOrigins(message, blocks.filter(isSaid));
  if (role === "assistant") return { role, content: content as readonly AssistantBlock[] };
  return {
    role: "user",
    content: content as readonly UserBlock[],
    ...(role === "system" ? { isMeta: true, isPinned: true } : {}),
  };
}

/** Thinking without a signature is its own client's matter. */
const isSaid = ({ block }: PlacedBlock): boolean => block.type !== "thinking" || block.signature !== "";

/** A text alone counts as one part. */
export const partsOf = (message: LangChainMessage): readonly Fields[] => langChainParts(message);

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
