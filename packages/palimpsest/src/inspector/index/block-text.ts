import { asFieldsList, asText, isFields } from "../../replay/readers/recording.js";

/** A block as people read it: the words of a text, the input of a call as JSON, what a result says. */
export function blockText(block: unknown): string {
  if (typeof block === "string") return block;
  if (!isFields(block)) return JSON.stringify(block) ?? "";
  switch (block["type"]) {
    case "text":
      return asText(block["text"]);
    case "thinking":
      return asText(block["thinking"]);
    case "redacted_thinking":
      return "";
    case "tool_use":
    case "server_tool_use":
    case "mcp_tool_use":
      return JSON.stringify(block["input"] ?? {}, null, 2);
    case "tool_result":
      return resultText(block["content"]);
    case "image":
    case "document":
      return mediaText(block["source"], asText(block["type"]));
    default:
      return JSON.stringify(block, null, 2);
  }
}

function resultText(content: unknown): string {
  if (typeof content === "string") return content;
  return asFieldsList(content).map(blockText).join("\n");
}

/** What a picture or a document is, without its bytes. */
function mediaText(source: unknown, type: string): string {
  if (!isFields(source)) return `[${type}]`;
  const { media_type: mediaType, data, url } = source;
  if (source["type"] === "text") return asText(data);
  if (typeof url === "string") return `[${type} ${url}]`;
  const bytes = Math.floor((asText(data).length * 3) / 4);
  return `[${type} ${asText(mediaType)}, ${bytes} bytes]`;
}
