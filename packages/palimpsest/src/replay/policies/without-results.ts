import type { Message, ToolResultBlock } from "@palimpsest/core";

export function resultsOf(message: Message): readonly ToolResultBlock[] {
  if (message.type !== "user" || typeof message.message.content === "string") return [];
  return message.message.content.filter((block): block is ToolResultBlock => block.type === "tool_result");
}

/** The message with a note in the place of the results of these calls; the same where it holds none of them. */
export function withoutResults(
  message: Message,
  { ids, note }: { readonly ids: ReadonlySet<string>; readonly note: string },
): Message {
  if (message.type !== "user" || typeof message.message.content === "string") return message;
  if (!resultsOf(message).some(({ tool_use_id: id }) => ids.has(id))) return message;
  const content = message.message.content.map((block) =>
    block.type === "tool_result" && ids.has(block.tool_use_id) ? { ...block, content: note } : block,
  );
  return { ...message, message: { ...message.message, content } };
}
