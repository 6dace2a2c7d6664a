import type { Message } from "@palimpsest/core";

/** What a person said in a message. */
export function saidText(message: Message): string {
  if (message.type !== "user") return "";
  const { content } = message.message;
  if (typeof content === "string") return content;
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}
