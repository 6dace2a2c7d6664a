import type { ToolDefinition } from "../../messages/call/request.js";
import type { CacheControl, ContentBlock, RequestMessage, ToolResultBlock } from "../../messages/content.js";
import { isFields, type Fields } from "../../messages/fields.js";
import { groupByOrigin, originOf } from "../origins.js";
import { systemLast } from "../system-last.js";
import { partsOf } from "./from-sdk.js";
import type { SdkMessage, SdkPart } from "./sdk-types.js";

/** A standard global, as far as it is used here. */
declare const URL: new (address: string) => object;

/** Whom the messages are for. */
export interface SdkDialect {
  /** Models of the Messages API have rules for where the system may speak. */
  readonly isMessagesApi: boolean;
  /** The data of files says what it is: `{ type: "data", data }`. */
  readonly hasTypedFiles: boolean;
}

/**
 * The messages of a request in the framework's words: its own objects where nothing was changed, with our markers
 * in place of any of its own.
 */
export function toSdk(
  messages: readonly RequestMessage[],
  dialect: SdkDialect = { isMessagesApi: false, hasTypedFiles: false },
): readonly SdkMessage[] {
  const names = new Map(
    messages.flatMap(({ content }) =>
      content.flatMap((block) => (block.type === "tool_use" ? [[block.id, block.name] as const] : [])),
    ),
  );
  const making = { names, ...dialect };
  return messages.flatMap(({ role, content }) => {
    const turn = groupByOrigin<SdkMessage, ContentBlock>(content).flatMap((group) =>
      group.kind === "whole"
        ? [wholeMessage(group.message, group.blocks)]
        : role === "assistant"
          ? [{ role, content: group.blocks.map((block) => partOf(block, making)) }]
          : userMessages(group.blocks, making),
    );
    return dialect.isMessagesApi ? systemLast(turn, { isSystem, join: joinSystem }) : turn;
  });
}

interface Making extends SdkDialect {
  /** Of tools, by the ids of their calls. */
  readonly names: ReadonlyMap<string, string>;
}

const isSystem = ({ role }: SdkMessage): boolean => role === "system";

/** Undefined where one of them says more than words. */
function joinSystem(before: SdkMessage, next: SdkMessage): SdkMessage | undefined {
  const isPlain = [before, next].every(
    (message) => withoutMarker(message) === undefined && typeof message.content === "string",
  );
  return isPlain
    ? { ...next, content: `${before.content as string}\n\n${next.content as string}` }
    : undefined;
}

/** The provider options of a message beside our marker; undefined where there are none. */
function withoutMarker({ providerOptions }: SdkMessage): Fields | undefined {
  const { anthropic, ...others } = isFields(providerOptions) ? providerOptions : {};
  const { cacheControl: _marker, ...own } = isFields(anthropic) ? anthropic : {};
  const all = { ...others, ...own };
  return Object.keys(all).length === 0 ? undefined : all;
}

/** Results of tools are messages of their own here. */
function userMessages(blocks: readonly ContentBlock[], making: Making): readonly SdkMessage[] {
  const messages: { role: "user" | "tool"; content: SdkPart[] }[] = [];
  for (const block of blocks) {
    const role = block.type === "tool_result" ? "tool" : "user";
    const last = messages.at(-1);
    const part = partOf(block, making);
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

function partOf(block: ContentBlock, making: Making): SdkPart {
  const origin = originOf<SdkMessage>(block);
  const own = origin === undefined ? undefined : partsOf(origin.message)[origin.part];
  const part = own ?? newPart(block, making);
  return { ...part, ...withMarker(part, markerOf(block)) };
}

function newPart(block: ContentBlock, making: Making): SdkPart {
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
      return resultPart(block, making);
    case "image":
    case "document":
      return filePart(block.source, block.type === "image" ? "image/*" : "application/pdf", making);
    default:
      return { type: "text", text: JSON.stringify(block) };
  }
}

function filePart(source: Fields, otherwise: string, { hasTypedFiles }: Making): SdkPart {
  const { data, url, media_type: mediaType } = source;
  // Here the text itself stands in the block; a file's data would be taken for base64.
  if (source["type"] === "text" && typeof data === "string") return { type: "text", text: data };
  return {
    type: "file",
    mediaType: mediaType ?? otherwise,
    data: hasTypedFiles ? typedData({ data, url }) : (data ?? url),
  };
}

/** An address is an object of its own there. */
const typedData = ({ data, url }: Fields): Fields =>
  typeof url === "string" ? { type: "url", url: new URL(url) } : { type: "data", data };

function resultPart(
  { tool_use_id: id, content = "", is_error }: ToolResultBlock,
  { names, hasTypedFiles }: Making,
): SdkPart {
  const isError = is_error === true;
  const output =
    typeof content === "string"
      ? { type: isError ? "error-text" : "text", value: content }
      : { type: "content", value: content.map((part) => resultContent(part, hasTypedFiles)) };
  return { type: "tool-result", toolCallId: id, toolName: names.get(id) ?? "unknown", output };
}

function resultContent(
  block: ContentBlock | { readonly type: "tool_reference" },
  hasTypedFiles: boolean,
): Fields {
  if (block.type === "text") return { type: "text", text: block.text };
  if (block.type === "image" || block.type === "document") {
    const { data, url, media_type: mediaType } = block.source as Fields;
    if (hasTypedFiles) {
      const otherwise = block.type === "image" ? "image/*" : "application/pdf";
      return { type: "file", mediaType: mediaType ?? otherwise, data: typedData({ data, url }) };
    }
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
