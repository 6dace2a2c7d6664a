import type { ToolDefinition } from "../../messages/call/request.js";
import type { CacheControl, ContentBlock, RequestMessage, ToolResultBlock } from "../../messages/content.js";
import { isFields, type Fields } from "../../messages/fields.js";
import { groupByOrigin, originOf } from "../origins.js";
import { partsOf } from "./from-sdk.js";
import type { SdkMessage, SdkPart } from "./sdk-types.js";

/**
 * The messages of a request in the framework's words: its own objects where nothing was changed, with our markers
 * in place of any of its own.
 */
export function toSdk(messages: readonly RequestMessage[]): readonly SdkMessage[] {
  const names = new Map(
    messages.flatMap(({ content }) =>
      content.flatMap((block) => (block.type === "tool_use" ? [[block.id, block.name] as const] : [])),
    ),
  );
  return messages.flatMap(({ role, content }) =>
    groupByOrigin<SdkMessage, ContentBlock>(content).flatMap((group) =>
      group.kind === "whole"
        ? [wholeMessage(group.message, group.blocks)]
        : role === "assistant"
          ? [{ role, content: group.blocks.map((block) => partOf(block, names)) }]
          : userMessages(group.blocks, names),
    ),
  );
}

type Names = ReadonlyMap<string, string>;

/** Results of tools are messages of their own here. */
function userMessages(blocks: readonly ContentBlock[], names: Names): readonly SdkMessage[] {
  const messages: { role: "user" | "tool"; content: SdkPart[] }[] = [];
  for (const block of blocks) {
    const role = block.type === "tool_result" ? "tool" : "user";
    const last = messages.at(-1);
    const part = partOf(block, names);
    if (last?.role === role) last.content.push(part);
    else messages.push({ role, content: [part] });
  }
  return messages;
}

function wholeMessage(message: SdkMessage, blocks: readonly ContentBlock[]): SdkMessage {
  const parts = partsOf(message);
  const markers = new Map(
    blocks.flatMap((block) => {
      const part = originOf(block)?.part;
      const marker = markerOf(block);
      return part === undefined || marker === undefined ? [] : [[part, marker] as const];
    }),
  );
  const isMarked = markers.size > 0 || isMarkedHere(message) || parts.some(isMarkedHere);
  if (!isMarked) return message;
  const [marker] = markers.values();
  if (message.role === "system") return { ...message, ...withMarker(message, marker) };
  const content = parts.map((part, index) => ({ ...part, ...withMarker(part, markers.get(index)) }));
  return { ...message, ...withMarker(message, undefined), content };
}

const isMarkedHere = (given: object): boolean => {
  const { providerOptions } = given as Fields;
  const own = isFields(providerOptions) ? providerOptions["anthropic"] : undefined;
  return isFields(own) && (own["cacheControl"] !== undefined || own["cache_control"] !== undefined);
};

/** The provider options with our marker, or with none. */
export function withMarker(given: object, marker: CacheControl | undefined): { providerOptions?: Fields } {
  const { providerOptions } = given as Fields;
  const options = isFields(providerOptions) ? providerOptions : {};
  const {
    cacheControl: _camel,
    cache_control: _snake,
    ...own
  } = isFields(options["anthropic"]) ? options["anthropic"] : {};
  if (marker === undefined && !isMarkedHere(given)) return {};
  return {
    providerOptions: {
      ...options,
      anthropic: { ...own, ...(marker === undefined ? {} : { cacheControl: marker }) },
    },
  };
}

export const markerOf = (block: object): CacheControl | undefined =>
  (block as { readonly cache_control?: CacheControl | null }).cache_control ?? undefined;

function partOf(block: ContentBlock, names: Names): SdkPart {
  const origin = originOf<SdkMessage>(block);
  const own = origin === undefined ? undefined : partsOf(origin.message)[origin.part];
  const part = own ?? newPart(block, names);
  return { ...part, ...withMarker(part, markerOf(block)) };
}

function newPart(block: ContentBlock, names: Names): SdkPart {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "thinking":
      return {
        type: "reasoning",
        text: block.thinking,
        providerOptions: { anthropic: { signature: block.signature } },
      };
    case "redacted_thinking":
      return { type: "reasoning", text: "", providerOptions: { anthropic: { redactedData: block.data } } };
    case "tool_use":
      return { type: "tool-call", toolCallId: block.id, toolName: block.name, input: block.input };
    case "tool_result":
      return resultPart(block, names);
    case "image":
    case "document":
      return filePart(block.source, block.type === "image" ? "image/*" : "application/pdf");
    default:
      return { type: "text", text: JSON.stringify(block) };
  }
}

function filePart(source: Fields, otherwise: string): SdkPart {
  const { data, url, media_type: mediaType } = source;
  // Here the text itself stands in the block; a file's data would be taken for base64.
  if (source["type"] === "text" && typeof data === "string") return { type: "text", text: data };
  return { type: "file", mediaType: mediaType ?? otherwise, data: data ?? url };
}

function resultPart({ tool_use_id: id, content = "", is_error }: ToolResultBlock, names: Names): SdkPart {
  const isError = is_error === true;
  const output =
    typeof content === "string"
      ? { type: isError ? "error-text" : "text", value: content }
      : { type: "content", value: content.map(resultContent) };
  return { type: "tool-result", toolCallId: id, toolName: names.get(id) ?? "unknown", output };
}

function resultContent(block: ContentBlock | { readonly type: "tool_reference" }): Fields {
  if (block.type === "text") return { type: "text", text: block.text };
  if (block.type === "image" || block.type === "document") {
    const { data, url, media_type: mediaType } = block.source as Fields;
    const kind = block.type === "image" ? "image" : "file";
    return typeof url === "string" ? { type: `${kind}-url`, url } : { type: `${kind}-data`, data, mediaType };
  }
  return { type: "text", text: JSON.stringify(block) };
}

/** A tool that a summary declares. */
export const toolToSdk = ({ name, description, input_schema }: ToolDefinition): object => ({
  type: "function",
  name,
  ...(description === undefined ? {} : { description }),
  inputSchema: input_schema ?? { type: "object" },
});
