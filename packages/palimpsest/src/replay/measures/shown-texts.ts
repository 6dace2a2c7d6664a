import type { Message, RequestMessage } from "@palimpsest/core";
import type { Fields } from "../readers/recording.js";
import { jsonTexts } from "./json-texts.js";

/** Inputs are never edited, so what one holds is worked out once, however often its block is made anew. */
const known = new WeakMap<object, readonly string[]>();

function inputTexts(input: unknown): readonly string[] {
  if (typeof input !== "object" || input === null) return jsonTexts(input);
  let texts = known.get(input);
  if (texts === undefined) {
    texts = jsonTexts(input);
    known.set(input, texts);
  }
  return texts;
}

/**
 * The texts of a block that a model can read: texts, results, inputs of calls as decoded values, a provider's own
 * summary. Not thinking, not images and documents, no names of tools or fields. Anything that is no block has none.
 */
export function blockTexts(block: unknown): readonly string[] {
  if (typeof block === "string") return [block];
  return typeof block === "object" && block !== null ? readBlock(block as Fields) : [];
}

function readBlock(block: Fields): readonly string[] {
  const type = typeof block["type"] === "string" ? block["type"] : "";
  switch (type) {
    case "text":
      return typeof block["text"] === "string" ? [block["text"]] : [];
    case "tool_result":
    case "compaction":
      return contentTexts(block["content"]);
    case "search_result":
      return [block["title"], block["source"], block["content"]].flatMap(contentTexts);
    case "tool_use":
    case "server_tool_use":
    case "mcp_tool_use":
      return inputTexts(block["input"]);
    default:
      return type.endsWith("_tool_result") ? jsonTexts(block["content"]) : [];
  }
}

/** The texts of what stands as a message's or a result's content: a text, or blocks. */
function contentTexts(content: unknown): readonly string[] {
  return Array.isArray(content) ? content.flatMap(blockTexts) : blockTexts(content);
}

/** What a request message shows the model. */
export const requestTexts = (message: RequestMessage): readonly string[] => contentTexts(message.content);

/** What a stored message adds to a conversation. Attachments and what never reaches a model add nothing. */
export const messageTexts = (message: Message): readonly string[] =>
  message.type === "user" || message.type === "assistant" ? contentTexts(message.message?.content) : [];
