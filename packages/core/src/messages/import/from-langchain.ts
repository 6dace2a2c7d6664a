import type { MessageOrigin } from "../construct.js";
import type { ContentBlock, ToolResultContent } from "../content.js";
import { asText, isFields, type Fields } from "../fields.js";
import { asList } from "./as-list.js";
import { imageFrom } from "./file-block.js";
import {
  asImported,
  noMessage,
  readInput,
  standIn,
  wrongContent,
  wrongRole,
  type ImportedMessages,
  type PlacedBlock,
  type ReadMessage,
} from "./imported.js";

/** A message of LangChain: a `BaseMessage`, or what it becomes as JSON. */
export type LangChainListMessage = object;

/** Messages of LangChain as messages of ours. Throws `ImportError` where an element is not a message. */
export function messagesFromLangChain(
  list: readonly LangChainListMessage[],
  origin?: MessageOrigin,
): ImportedMessages {
  const read = asList(list).map((given: unknown, index) => {
    if (!isFields(given)) throw noMessage(index);
    return readLangChainMessage(unpacked(given), index);
  });
  return asImported(read, origin);
}

/** One message, its fields at the top: messages that were written as JSON have them further down. */
function unpacked(given: Fields): Fields {
  const { lc, kwargs, id, data } = given;
  if (lc === 1 && isFields(kwargs)) {
    const name = Array.isArray(id) ? asText(id.at(-1)) : "";
    return { type: typeOfClass(name), ...kwargs };
  }
  return isFields(data) && typeof given["type"] === "string" ? { ...data, type: given["type"] } : given;
}

const typeOfClass = (name: string): string => name.replace(/Message(?:Chunk)?$/, "").toLowerCase();

const roles: ReadonlyMap<unknown, ReadMessage["role"]> = new Map([
  ["system", "system"],
  ["developer", "system"],
  ["human", "user"],
  ["user", "user"],
  ["tool", "user"],
  ["function", "user"],
  ["ai", "assistant"],
  ["assistant", "assistant"],
]);

export const isLangChainRole = (type: unknown): boolean => roles.has(type);

/** One message. */
export function readLangChainMessage(message: Fields, index: number): ReadMessage {
  const type = message["type"] === "generic" ? message["role"] : message["type"];
  const role = roles.get(type);
  if (role === undefined) throw wrongRole(index, type, "human, ai, system, developer, tool or function");
  const { content } = message;
  if (typeof content !== "string" && !Array.isArray(content)) throw wrongContent(index);
  if (role === "assistant") return { role, blocks: answerBlocks(message) };
  const isResult = type === "tool" || type === "function";
  const blocks = isResult
    ? [{ block: resultBlock(message), part: 0 }]
    : langChainParts(message).map((part, place) => ({ block: partBlock(part), part: place }));
  return { role, blocks };
}

/** The parts of a message; a text alone counts as one part. */
export function langChainParts({ content }: { readonly content?: unknown }): readonly Fields[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content)) return [];
  return content.flatMap((part: unknown) =>
    typeof part === "string" ? [{ type: "text", text: part }] : isFields(part) ? [part] : [],
  );
}

function partBlock(part: Fields): ContentBlock {
  const { type, text, source, image_url: image } = part;
  if (type === "text") return { type, text: asText(text) };
  if ((type === "image" || type === "document") && isFields(source)) return { type, source } as ContentBlock;
  if (type === "image_url") return imageFrom(asText(isFields(image) ? image["url"] : image));
  return standIn(part);
}

/** Texts and thinking from the content, calls from where the framework keeps them. */
function answerBlocks(message: Fields): readonly PlacedBlock[] {
  const calls = callsOf(message["tool_calls"]);
  const parts = langChainParts(message).flatMap((part, place): readonly PlacedBlock[] => {
    const block = answerBlock(part, calls.length > 0);
    return block === undefined ? [] : [{ block, part: place }];
  });
  return [...parts, ...calls.map((block) => ({ block, part: -1 }))];
}

/** Undefined for what is blank, for what the framework keeps elsewhere, and for what only its own client can say. */
function answerBlock(part: Fields, hasCalls: boolean): ContentBlock | undefined {
  const { type, text, thinking, reasoning, signature, data, id, name } = part;
  switch (type) {
    case "text":
      return asText(text).trim() === "" ? undefined : { type, text: asText(text) };
    case "thinking":
      return { type, thinking: asText(thinking), signature: asText(signature) };
    case "reasoning":
      return { type: "thinking", thinking: asText(reasoning), signature: asText(signature) };
    case "redacted_thinking":
      return { type, data: asText(data) };
    case "tool_use":
    case "tool_call":
      return hasCalls
        ? undefined
        : {
            type: "tool_use",
            id: asText(id),
            name: asText(name),
            input: readInput(part["input"] ?? part["args"]),
          };
    default:
      return undefined;
  }
}

const callsOf = (calls: unknown): readonly ContentBlock[] =>
  (Array.isArray(calls) ? calls.filter(isFields) : []).map(({ id, name, args }) => ({
    type: "tool_use",
    id: asText(id),
    name: asText(name),
    input: isFields(args) ? args : {},
  }));

function resultBlock(message: Fields): ContentBlock {
  const { content, tool_call_id: id, status } = message;
  return {
    type: "tool_result",
    tool_use_id: asText(id),
    content:
      typeof content === "string"
        ? content
        : (langChainParts(message).map(partBlock) as readonly ToolResultContent[]),
    ...(status === "error" ? { is_error: true } : {}),
  };
}
