import type { ContentBlock, DocumentBlock, ImageBlock, ToolResultContent } from "../../messages/content.js";
import { asText, isFields, type Fields } from "../../messages/fields.js";
import type { ChatPart } from "./wire.js";
import { leftOut, SUMMARY_NOTE, UNREADABLE_SUMMARY_NOTE } from "./wording.js";

type AnyBlock = ContentBlock | ToolResultContent;

/**
 * A block as text, for what the protocol has no form of. What cannot be said in text is named as left out, so
 * that the model knows of it. Thinking has no text. Never throws on JSON values.
 */
export function blockText(block: AnyBlock): string {
  switch (block.type) {
    case "text":
      return asText(block.text);
    case "image":
      return leftOut(`image${detail(asText((block.source as Fields)["file_id"]))}`);
    case "document":
      return documentText(block);
    case "search_result":
      return [`${asText(block.title)} (${asText(block.source)})`, listText(block.content)].join("\n");
    case "tool_reference":
      return `[tool: ${block.tool_name}]`;
    case "container_upload":
      return leftOut(`file${detail(block.file_id)}`);
    case "compaction":
      return typeof block.content === "string" && block.content !== ""
        ? `${SUMMARY_NOTE}\n${block.content}`
        : UNREADABLE_SUMMARY_NOTE;
    case "server_tool_use":
    case "mcp_tool_use":
      return `[called ${block.name}: ${jsonText(block.input)}]`;
    case "thinking":
    case "redacted_thinking":
      return "";
    default:
      return otherText(block as unknown as Fields);
  }
}

/** What the protocol can show as an image; undefined for an image that only its own API has. */
export function imagePart({ source }: ImageBlock): ChatPart | undefined {
  switch (source.type) {
    case "base64":
      return imageUrl(`data:${source.media_type};base64,${source.data}`);
    case "url":
      return imageUrl(source.url);
    default:
      return undefined;
  }
}

const imageUrl = (url: string): ChatPart => ({ type: "image_url", image_url: { url } });

function documentText({ source, title, context }: DocumentBlock): string {
  const text = sourceText(source);
  const name = asText(title) === "" ? "" : `: ${asText(title)}`;
  if (text === undefined) {
    const kind = [asText(source["media_type"]), asText(source["url"]), asText(source["file_id"])];
    return leftOut(`document${name}${detail(kind.filter((part) => part !== "").join(", "))}`);
  }
  const head = name === "" ? [] : [`[document${name}]`];
  return [...head, ...(asText(context) === "" ? [] : [asText(context)]), text].join("\n");
}

/** The text of a document that consists of text; undefined for files. */
function sourceText(source: Fields): string | undefined {
  if (source["type"] === "text") return asText(source["data"]);
  if (source["type"] !== "content") return undefined;
  const { content } = source;
  return Array.isArray(content) ? listText(content) : asText(content);
}

function listText(blocks: unknown): string {
  const list: readonly unknown[] = Array.isArray(blocks) ? blocks : [];
  return list
    .filter(isFields)
    .map((block) => blockText(block as unknown as ToolResultContent))
    .join("\n");
}

/** Results of calls that a provider carried out, and kinds that nobody here knows. */
function otherText(block: Fields): string {
  const { type, content } = block;
  if (typeof type === "string" && type.endsWith("_tool_result")) {
    return `[result of ${type.slice(0, -"_tool_result".length)}: ${jsonText(content)}]`;
  }
  return `[${asText(type) === "" ? "block" : asText(type)}: ${jsonText(block)}]`;
}

const UNREADABLE_FIELDS: ReadonlySet<string> = new Set([
  "encrypted_content",
  "encrypted_index",
  "encrypted_stdout",
  "signature",
  "cache_control",
]);

/** JSON without what only its own API can read. */
function jsonText(value: unknown): string {
  return (
    JSON.stringify(value, (name, field: unknown) => {
      if (UNREADABLE_FIELDS.has(name)) return undefined;
      return isFields(field) && field["type"] === "base64" ? leftOut("file") : field;
    }) ?? ""
  );
}

const detail = (text: string): string => (text === "" ? "" : ` (${text})`);
