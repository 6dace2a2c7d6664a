import type { ModelRequest, ToolDefinition } from "../../messages/call/request.js";
import { isFields, type Fields } from "../../messages/fields.js";
import { blockText } from "./block-text.js";
import { encodeMessage } from "./encode-message.js";
import type { ChatMessage, ChatTool } from "./wire.js";

export interface EncodeChatRequestOptions {
  /** Newer models of OpenAI call it `developer`; other servers know `system` only. Default `system`. */
  readonly systemRole?: "system" | "developer";
  /** Newer models of OpenAI take `max_completion_tokens` only, many other servers `max_tokens` only. */
  readonly maxTokensField?: "max_completion_tokens" | "max_tokens";
  /** For servers that want their reasoning back; without it thinking is left out. */
  readonly reasoningField?: "reasoning_content";
  /** Default true. A stream then ends with its usage, unless `streamUsage` is false. */
  readonly stream?: boolean;
  readonly streamUsage?: boolean;
  /** Requests with the same key are more likely to meet the same cache. */
  readonly promptCacheKey?: string;
}

export interface EncodedChatRequest {
  readonly body: string;
  /** Names in lower case. How to authenticate is the transport's matter. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * A call in the form of the chat-completions protocol. What the protocol lacks is said in text or left out:
 * `cache_control` is never sent, thinking only on demand, tools that another provider runs not at all. A
 * conversation that only grew begins with the same messages and tools; messages and tools that were encoded
 * before cost a look-up.
 */
export function encodeChatRequest(
  request: ModelRequest,
  options: EncodeChatRequestOptions = {},
): EncodedChatRequest {
  const { stream = true, streamUsage = true } = options;
  const tools = encodeTools(request.tools);
  const body = {
    model: request.model,
    messages: encodeMessages(request, options),
    ...(tools.length > 0 ? { tools, ...toolChoice(request.tool_choice) } : {}),
    [options.maxTokensField ?? "max_completion_tokens"]: request.max_tokens,
    ...numberField(request, "temperature"),
    ...numberField(request, "top_p"),
    ...stop(request["stop_sequences"]),
    ...effort(request["output_config"]),
    ...(options.promptCacheKey === undefined ? {} : { prompt_cache_key: options.promptCacheKey }),
    ...(stream ? { stream, ...(streamUsage ? { stream_options: { include_usage: true } } : {}) } : {}),
  };
  return {
    body: JSON.stringify(body),
    headers: {
      "content-type": "application/json",
      accept: stream ? "text/event-stream" : "application/json",
    },
  };
}

function encodeMessages(request: ModelRequest, options: EncodeChatRequestOptions): readonly ChatMessage[] {
  const { systemRole = "system", reasoningField } = options;
  const system = systemText(request.system);
  return [
    ...(system === "" ? [] : [{ role: systemRole, content: system }]),
    ...request.messages.flatMap((message) => encodeMessage(message, { systemRole, reasoningField })),
  ];
}

function systemText(system: ModelRequest["system"]): string {
  if (system === undefined || typeof system === "string") return system ?? "";
  return system
    .map(blockText)
    .filter((text) => text !== "")
    .join("\n\n");
}

const rememberedTools = new WeakMap<ToolDefinition, ChatTool>();

/** Tools with a type of their own are run by another provider. */
function encodeTools(tools: readonly ToolDefinition[] = []): readonly ChatTool[] {
  return tools
    .filter(({ type }) => type === undefined || type === null || type === "custom")
    .map((tool) => {
      const known = rememberedTools.get(tool);
      if (known !== undefined) return known;
      const encoded = encodeTool(tool);
      rememberedTools.set(tool, encoded);
      return encoded;
    });
}

function encodeTool({ name, description, input_schema }: ToolDefinition): ChatTool {
  return {
    type: "function",
    function: {
      name,
      ...(description === undefined ? {} : { description }),
      parameters: input_schema ?? { type: "object", properties: {} },
    },
  };
}

const plainChoices: ReadonlyMap<unknown, string> = new Map([
  ["auto", "auto"],
  ["any", "required"],
  ["none", "none"],
]);

function toolChoice(choice: ModelRequest["tool_choice"]): Fields {
  if (choice === undefined) return {};
  const { type, name, disable_parallel_tool_use } = choice;
  const named = type === "tool" ? { type: "function", function: { name } } : undefined;
  const tool_choice = named ?? plainChoices.get(type);
  return {
    ...(tool_choice === undefined ? {} : { tool_choice }),
    ...(disable_parallel_tool_use === true ? { parallel_tool_calls: false } : {}),
  };
}

function stop(sequences: unknown): Fields {
  return Array.isArray(sequences) && sequences.length > 0 ? { stop: sequences } : {};
}

/** The protocol has no `max`; its highest is `xhigh`. */
function effort(config: unknown): Fields {
  const level = isFields(config) ? config["effort"] : undefined;
  return typeof level === "string" ? { reasoning_effort: level === "max" ? "xhigh" : level } : {};
}

function numberField(request: ModelRequest, name: string): Fields {
  return typeof request[name] === "number" ? { [name]: request[name] } : {};
}
