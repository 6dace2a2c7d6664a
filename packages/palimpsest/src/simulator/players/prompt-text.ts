import { isFields } from "../fields.js";
import type { ModelRequest } from "@palimpsest/core";

/** A content block, before anything but its type is known. */
export interface LooseBlock {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The blocks of a message; a plain string, which the API also takes, counts as one text block. */
export function blocksOf(message: { readonly content?: unknown }): readonly LooseBlock[] {
  const { content } = message;
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content)) return [];
  return content.filter(
    (block: unknown): block is LooseBlock => isFields(block) && typeof block["type"] === "string",
  );
}

/** The text of a text block; undefined for any other block. */
export const textOf = (block: LooseBlock): string | undefined =>
  block.type === "text" && typeof block["text"] === "string" ? block["text"] : undefined;

export const textsOf = (message: { readonly content?: unknown }): readonly string[] =>
  blocksOf(message).flatMap((block) => textOf(block) ?? []);

/** The text of a tool result, whatever form its content has. */
export function resultText(block: LooseBlock): string {
  return textsOf({ content: block["content"] }).join("\n");
}

/** The system prompt as one text, without the billing line that one agent changes with every request. */
export function systemText(request: ModelRequest): string {
  return textsOf({ content: request.system })
    .filter((text) => !text.startsWith("x-anthropic-billing-header"))
    .join("\n");
}

/** Whether a text was put beside the person's own words by the program. */
export const isReminder = (text: string): boolean =>
  /^\s*<(system-reminder|environment_context|env|context|user_instructions|local-command|command-name)\b/.test(
    text,
  );

/** The first thing that a person said; empty where nobody said anything. */
export function firstHumanText(messages: ModelRequest["messages"]): string {
  for (const message of messages) {
    if (message.role !== "user") continue;
    const text = textsOf(message).find((text) => !isReminder(text) && text.trim() !== "");
    if (text !== undefined) return text;
  }
  return "";
}
