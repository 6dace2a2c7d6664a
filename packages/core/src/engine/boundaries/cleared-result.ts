import type { ToolResultBlock } from "../../messages/content.js";

/** What stands in the place of a result that was cleared; how to get it back may follow. */
export const CLEARED_RESULT_TEXT = "[Old tool result content cleared]";

/** How a person or a model gets a result back: a sentence, or undefined where there is no way. */
export type RecallHint = (toolUseId: string, toolName: string) => string | undefined;

/** The content of a cleared result. */
export function clearedText(hint: string | undefined): string {
  const sentence = hint?.toWellFormed().trim() ?? "";
  return sentence === "" ? CLEARED_RESULT_TEXT : `${CLEARED_RESULT_TEXT} ${sentence}`;
}

/** Whether a result was cleared before. */
export function isClearedResult(block: ToolResultBlock): boolean {
  const { content } = block;
  if (typeof content === "string") return content.startsWith(CLEARED_RESULT_TEXT);
  const only = Array.isArray(content) && content.length === 1 ? content[0] : undefined;
  return only?.type === "text" && only.text?.startsWith(CLEARED_RESULT_TEXT);
}

/** The result with its content cleared; the same reference where it already was. */
export const clearBlock = (block: ToolResultBlock, text: string): ToolResultBlock =>
  isClearedResult(block) ? block : { ...block, content: text };
