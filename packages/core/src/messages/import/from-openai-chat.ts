import type { MessageOrigin } from "../construct.js";
import type { ContentBlock, ToolResultContent } from "../content.js";
import { asText, isFields, type Fields } from "../fields.js";
import { asList } from "./as-list.js";
import { imageFrom } from "./file-block.js";
import { isFault, readParts, type CallPart } from "./chat-parts.js";
import {
  asImported,
  noMessage,
  readInput,
  standIn,
  wrongContent,
  wrongRole,
  type ImportedMessages,
  type ReadMessage,
} from "./imported.js";

/** A message of the chat-completions protocol. Those of OpenAI's client fit. */
export interface OpenAiChatMessage {
  readonly role: string;
  readonly content?: unknown;
}

/**
 * Messages of the chat-completions protocol as messages of ours: calls with their arguments read, results by the id of
 * their call. Throws `ImportError` where an element is not a message.
 */
export function messagesFromOpenAiChat(
  list: readonly OpenAiChatMessage[],
  origin?: MessageOrigin,
): ImportedMessages {
  /** Calls that nobody has answered yet, the oldest first: some servers give no ids. */
  let waiting: readonly string[] = [];
  let calls = 0;
  const read = asList(list).map((given: unknown, index): ReadMessage => {
    if (!isFields(given)) throw noMessage(index);
    switch (given["role"]) {
      case "system":
      case "developer":
        return { role: "system", blocks: placed(partBlocks(given["content"], index)) };
      case "user":
        return { role: "user", blocks: placed(partBlocks(given["content"], index)) };
      case "assistant": {
        const blocks = answerBlocks(given, index, () => `call_${(calls += 1)}`);
        waiting = blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
        return { role: "assistant", blocks: placed(blocks) };
      }
      case "tool":
      case "function": {
        const named = asText(given["tool_call_id"]);
        const id = named === "" ? (waiting[0] ?? "") : named;
        waiting = waiting.filter((other) => other !== id);
        return { role: "user", blocks: placed([resultBlock(given, { id, index })]) };
      }
      default:
        throw wrongRole(index, given["role"], "system, developer, user, assistant, tool or function");
    }
  });
  return asImported(read, origin);
}

const placed = (blocks: readonly ContentBlock[]): ReadMessage["blocks"] =>
  blocks.map((block, part) => ({ block, part }));

function partBlocks(content: unknown, index: number): readonly ContentBlock[] {
  if (content === undefined || content === null) return [];
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content)) throw wrongContent(index);
  return content.map(chatPart);
}

function chatPart(part: unknown): ContentBlock {
  if (typeof part === "string") return { type: "text", text: part };
  if (!isFields(part)) return standIn(part);
  const { type, text, image_url: image, file } = part;
  if (typeof text === "string" && (type === "text" || type === "input_text" || type === undefined))
    return { type: "text", text };
  if (type === "image_url") return imageFrom(asText(isFields(image) ? image["url"] : image));
  if (type === "file" && isFields(file)) {
    const [, data] = /^data:application\/pdf;base64,(.*)$/s.exec(asText(file["file_data"])) ?? [];
    if (data !== undefined)
      return { type: "document", source: { type: "base64", media_type: "application/pdf", data } };
  }
  return standIn(part);
}

function answerBlocks(message: Fields, index: number, nextId: () => string): readonly ContentBlock[] {
  const parts = readParts(message);
  if (isFault(parts)) {
    if (parts.path === "content") throw wrongContent(index);
    return [
      ...partBlocks(message["content"], index),
      standIn(message["tool_calls"] ?? message["function_call"]),
    ];
  }
  const { thinking, text, calls } = parts;
  return [
    ...(thinking === "" ? [] : [{ type: "thinking", thinking, signature: "" } as const]),
    ...(text === "" ? [] : [{ type: "text", text } as const]),
    ...calls.map((call, place) => callBlock(call, customCall(message, place), nextId)),
  ];
}

/** Calls of tools whose input is a text, not JSON. */
function customCall({ tool_calls: calls }: Fields, place: number): Fields {
  const call: unknown = Array.isArray(calls) ? calls[place] : undefined;
  const custom = isFields(call) ? call["custom"] : undefined;
  return isFields(custom) ? custom : {};
}

const callBlock = (call: CallPart, custom: Fields, nextId: () => string): ContentBlock => ({
  type: "tool_use",
  id: call.id ?? nextId(),
  name: call.name ?? asText(custom["name"]),
  input: custom["input"] === undefined ? readInput(call.json) : { input: custom["input"] },
});

function resultBlock(
  { content }: Fields,
  { id, index }: { readonly id: string; readonly index: number },
): ContentBlock {
  return {
    type: "tool_result",
    tool_use_id: id,
    content:
      typeof content === "string" ? content : (partBlocks(content, index) as readonly ToolResultContent[]),
  };
}
