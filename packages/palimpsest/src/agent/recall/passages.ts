import type { Message } from "@palimpsest/core";
import { RECALL_TOOL } from "@palimpsest/core/engine";
import { isFields, type Fields } from "../base/fields.js";
import { QUOTE_NOTE } from "./wording.js";
import { valueText } from "./value-text.js";

/** How close a text is to what was said: originals come before copies, and copies before summaries. */
export type Origin = "original" | "attachment" | "quote" | "summary";

/** One block of a message as text. */
export interface Passage {
  /** Who said it, in a few words; for a result the tool is not known here. */
  readonly label: string;
  readonly text: string;
  readonly origin: Origin;
  /** The call that it is, or that it answers. */
  readonly toolUseId?: string;
  readonly isResult?: boolean;
}

/** What can be read of a message: no thinking, no pictures, none of this tool's own calls. */
export function passagesOf(message: Message): readonly Passage[] {
  if (message.type === "attachment") {
    const { type, ...rest } = message.attachment;
    return [{ label: `attachment ${type}`, text: valueText(rest), origin: "attachment" }];
  }
  if (message.type !== "user" && message.type !== "assistant") return [];
  const isSummary = message.type === "user" && message.isCompactSummary === true;
  const by: Author = {
    label: isSummary ? "summary" : message.isMeta === true ? "program" : message.type,
    origin: isSummary ? "summary" : "original",
  };
  const { content } = message.message;
  if (typeof content === "string") return [{ ...by, text: content }];
  return content.flatMap((block: unknown) => (isFields(block) ? blockPassages(block, by) : []));
}

interface Author {
  readonly label: string;
  readonly origin: Origin;
}

function blockPassages(block: Fields, by: Author): readonly Passage[] {
  const type = typeof block["type"] === "string" ? block["type"] : "";
  switch (type) {
    case "text":
      return [{ ...by, text: textOf(block["text"]) }];
    case "thinking":
    case "redacted_thinking":
    case "image":
    case "container_upload":
      return [];
    case "compaction":
      return [{ label: "summary", origin: "summary", text: textOf(block["content"]) }];
    case "tool_use":
    case "server_tool_use":
    case "mcp_tool_use":
      return callPassages(block);
    default:
      if (type === "tool_result" || type.endsWith("_tool_result")) return [resultPassage(block)];
      return [{ ...by, text: valueText({ ...block, type: undefined }) }];
  }
}

function callPassages(block: Fields): readonly Passage[] {
  const name = textOf(block["name"]);
  if (name === RECALL_TOOL) return [];
  const text = valueText(block["input"]);
  return [{ label: `call of ${name}`, text, origin: "original", toolUseId: textOf(block["id"]) }];
}

function resultPassage(block: Fields): Passage {
  const text = resultText(block["content"]);
  return {
    label: block["is_error"] === true ? "failed result" : "result",
    text,
    // Its own old results: what they quote stands in the transcript itself.
    origin: text.startsWith(QUOTE_NOTE) ? "quote" : "original",
    toolUseId: textOf(block["tool_use_id"]),
    isResult: true,
  };
}

function resultText(content: unknown): string {
  if (!Array.isArray(content)) return typeof content === "string" ? content : valueText(content);
  return content
    .map((block: unknown) =>
      isFields(block) && block["type"] === "text" ? textOf(block["text"]) : otherText(block),
    )
    .join("\n");
}

const otherText = (block: unknown): string =>
  isFields(block) && block["type"] === "image"
    ? "[image]"
    : valueText(isFields(block) ? { ...block, type: undefined } : block);

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
