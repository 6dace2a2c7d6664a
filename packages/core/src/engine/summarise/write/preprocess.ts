import type { ToolResultContent, UserBlock } from "../../../messages/content.js";
import type { Message, UserMessage } from "../../../messages/message.js";

/** Attachments that come back after a compaction anyway: a summary of them would only repeat it. */
const reinjected: ReadonlySet<string> = new Set([
  "skill_discovery",
  "skill_listing",
  "invoked_skills",
  "deferred_tools_delta",
  "agent_listing_delta",
  "mcp_instructions_delta",
]);

/**
 * A copy of the live messages for a summary call that shares no cache: pictures and documents become words, and
 * what is injected again afterwards is left out. Messages without either are the same objects.
 */
export function preprocess(live: readonly Message[]): readonly Message[] {
  return live.flatMap((message): readonly Message[] => {
    if (message.type === "attachment") return reinjected.has(message.attachment?.type) ? [] : [message];
    return [message.type === "user" ? withoutMedia(message) : message];
  });
}

function withoutMedia(message: UserMessage): UserMessage {
  const content: unknown = message.message.content;
  if (!Array.isArray(content)) return message;
  const blocks = (content as readonly UserBlock[]).map(mediaAsText);
  const isChanged = blocks.some((block, index) => block !== content[index]);
  return isChanged ? { ...message, message: { ...message.message, content: blocks } } : message;
}

function mediaAsText(block: UserBlock): UserBlock {
  if (block?.type === "image" || block?.type === "document") return placeholder(block.type);
  if (block?.type !== "tool_result" || !Array.isArray(block.content)) return block;
  const inner = block.content as readonly ToolResultContent[];
  const content = inner.map((item) =>
    item?.type === "image" || item?.type === "document" ? placeholder(item.type) : item,
  );
  return content.some((item, index) => item !== inner[index]) ? { ...block, content } : block;
}

const placeholder = (type: "image" | "document") => ({ type: "text", text: `[${type}]` }) as const;
