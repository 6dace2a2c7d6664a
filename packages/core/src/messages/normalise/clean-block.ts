import type { AssistantBlock, ToolResultBlock, ToolUseBlock, UserBlock } from "../content.js";
import {
  cleanCaller,
  dropField,
  fieldsOf,
  isFilled,
  isText,
  keepFields,
  malformed,
  replaceField,
  wellFormed,
  type CleanContext,
  type Cleaner,
} from "./block-fields.js";
import { isFields, type Fields } from "../fields.js";
import { cleanCitationsConfig, cleanDocument, cleanImage, cleanImageInDocument } from "./clean-media.js";
import { serverBlocks } from "./clean-server-block.js";
import { repairToolInput } from "./repair-tool-input.js";
import { NO_CONTENT_TEXT } from "./wording.js";

const TEXT = fieldsOf("text", "citations");
const SEARCH_RESULT = fieldsOf("source", "title", "content", "citations");
const THINKING = fieldsOf("thinking", "signature");
const REDACTED = fieldsOf("data");
const TOOL_USE = fieldsOf("id", "name", "input", "caller", "toolset_name");
const TOOL_RESULT = fieldsOf("tool_use_id", "content", "is_error", "toolset_name");
const TOOL_REFERENCE = fieldsOf("tool_name");
const CONTAINER_UPLOAD = fieldsOf("file_id");
const COMPACTION = fieldsOf("content", "encrypted_content", "signature", "tool_changes");

const CITATIONS: ReadonlySet<unknown> = new Set([
  "char_location",
  "page_location",
  "content_block_location",
  "web_search_result_location",
  "search_result_location",
]);

const cleanText =
  (withCitations: boolean): Cleaner =>
  (block, context) => {
    if (!isText(block["text"])) return malformed(context);
    if (block["text"].trim() === "") {
      // Models do write blank text between calls; only a block without any is out of order.
      if (block["text"] === "") context.report("empty_text");
      return null;
    }
    const { citations } = block;
    const keepsCitations =
      withCitations &&
      Array.isArray(citations) &&
      citations.every((citation) => isFields(citation) && CITATIONS.has(citation["type"]));
    const bare = keepsCitations ? block : dropField(block, "citations");
    return wellFormed(keepFields(bare, TEXT), context);
  };

const cleanSearchResult: Cleaner = (block, context) => {
  const content = cleanList(block["content"], TEXT_ONLY, context);
  if (!isFilled(block["source"]) || !isFilled(block["title"]) || content === null || content.length === 0) {
    return malformed(context);
  }
  const bare = cleanCitationsConfig(replaceField(block, "content", content));
  return wellFormed(keepFields(bare, SEARCH_RESULT), context);
};

const cleanToolReference: Cleaner = (block, context) => {
  const name = block["tool_name"];
  if (!isFilled(name)) return malformed(context);
  if (context.toolSchemas !== undefined && !context.toolSchemas.has(name)) {
    return { type: "text", text: `[tool no longer available: ${name.toWellFormed()}]` };
  }
  return wellFormed(keepFields(block, TOOL_REFERENCE), context);
};

const cleanToolResult: Cleaner = (block, context) => {
  if (!isFilled(block["tool_use_id"])) return malformed(context);
  let bare = block;
  if (typeof bare["is_error"] !== "boolean") bare = dropField(bare, "is_error");
  if (!isText(bare["toolset_name"])) bare = dropField(bare, "toolset_name");
  const { content } = bare;
  if (content !== undefined && !isText(content)) {
    const allowed = bare["is_error"] === true ? TEXT_ONLY : RESULT_CONTENT;
    const list = cleanList(content, allowed, context);
    if (list === null) context.report("malformed_block");
    bare = list === null ? dropField(bare, "content") : replaceField(bare, "content", list);
  }
  return wellFormed(keepFields(bare, TOOL_RESULT), context);
};

const cleanThinking: Cleaner = (block, context) => {
  if (!isText(block["thinking"])) return malformed(context);
  if (!isFilled(block["signature"])) {
    context.report("unsigned_thinking");
    return null;
  }
  return wellFormed(keepFields(block, THINKING), context);
};

const cleanRedacted: Cleaner = (block, context) =>
  isFilled(block["data"]) ? wellFormed(keepFields(block, REDACTED), context) : malformed(context);

const MAX_TOOL_NAME = 200;

const cleanToolUse: Cleaner = (block, context) => {
  const { id, name } = block;
  if (!isFilled(id)) return malformed(context);
  let bare = cleanCaller(block);
  if (!isText(bare["toolset_name"])) bare = dropField(bare, "toolset_name");
  if (!isFilled(name) || name.length > MAX_TOOL_NAME) {
    context.report("malformed_block", id);
    bare = replaceField(bare, "name", isFilled(name) ? name.slice(0, MAX_TOOL_NAME) : "unknown_tool");
  }
  const schema = isText(bare["name"]) ? context.toolSchemas?.get(bare["name"]) : undefined;
  const input = repairToolInput(bare["input"], schema);
  if (input !== bare["input"]) {
    context.report("repaired_input", id);
    bare = replaceField(bare, "input", input);
  }
  return wellFormed(keepFields(bare, TOOL_USE), context);
};

const cleanContainerUpload: Cleaner = (block, context) =>
  isFilled(block["file_id"]) ? wellFormed(keepFields(block, CONTAINER_UPLOAD), context) : malformed(context);

const cleanCompaction: Cleaner = (block, context) => {
  let bare = Array.isArray(block["tool_changes"]) ? block : dropField(block, "tool_changes");
  for (const key of ["content", "encrypted_content", "signature"]) {
    if (!isText(bare[key]) && bare[key] !== null) bare = dropField(bare, key);
  }
  return wellFormed(keepFields(bare, COMPACTION), context);
};

type Cleaners = Readonly<Record<string, Cleaner>>;

const TEXT_ONLY: Cleaners = { text: cleanText(false) };
const DOCUMENT_CONTENT: Cleaners = { text: cleanText(false), image: cleanImageInDocument };
const cleanDocumentBlock = cleanDocument((list, context) => cleanList(list, DOCUMENT_CONTENT, context));
const RESULT_CONTENT: Cleaners = {
  text: cleanText(false),
  image: cleanImage,
  document: cleanDocumentBlock,
  search_result: cleanSearchResult,
  tool_reference: cleanToolReference,
};
const USER: Cleaners = {
  text: cleanText(false),
  image: cleanImage,
  document: cleanDocumentBlock,
  search_result: cleanSearchResult,
  tool_result: cleanToolResult,
  container_upload: cleanContainerUpload,
};
const ASSISTANT: Cleaners = {
  text: cleanText(true),
  thinking: cleanThinking,
  redacted_thinking: cleanRedacted,
  tool_use: cleanToolUse,
  ...serverBlocks,
  container_upload: cleanContainerUpload,
  compaction: cleanCompaction,
};

function cleanOne(block: unknown, cleaners: Cleaners, context: CleanContext): Fields | null {
  if (!isFields(block) || !isText(block["type"])) return malformed(context);
  const type = block["type"];
  const cleaner = Object.hasOwn(cleaners, type) ? cleaners[type] : undefined;
  if (cleaner !== undefined) return cleaner(block, context);
  const known =
    Object.hasOwn(USER, type) || Object.hasOwn(ASSISTANT, type) || Object.hasOwn(RESULT_CONTENT, type);
  context.report(known ? "misplaced_block" : "unknown_block");
  return null;
}

function cleanList(list: unknown, cleaners: Cleaners, context: CleanContext): readonly Fields[] | null {
  if (!Array.isArray(list)) return null;
  const cleaned = list.map((block) => cleanOne(block, cleaners, context));
  return cleaned.every((block, index) => block !== null && block === list[index])
    ? list
    : cleaned.filter((block) => block !== null);
}

function cleanContent(content: unknown, cleaners: Cleaners, context: CleanContext): readonly Fields[] {
  if (isText(content)) {
    // An empty string is an empty message, not a damaged block.
    return content.trim() === ""
      ? []
      : (cleanList([{ type: "text", text: content }], cleaners, context) ?? []);
  }
  const list = cleanList(content, cleaners, context);
  if (list === null) context.report("malformed_block");
  return list ?? [];
}

/** The blocks of a user message that the API accepts, each the same reference where it was in order. */
export function cleanUserContent(content: unknown, context: CleanContext): readonly UserBlock[] {
  return cleanContent(content, USER, context) as unknown as readonly UserBlock[];
}

/** The same for an assistant message. */
export function cleanAssistantContent(content: unknown, context: CleanContext): readonly AssistantBlock[] {
  return cleanContent(content, ASSISTANT, context) as unknown as readonly AssistantBlock[];
}

const NOT_IN_ID = /[^a-zA-Z0-9_-]/g;

/** An id that the API accepts; the same string where it already is one. */
export const cleanToolId = (id: string): string => id.replace(NOT_IN_ID, "_");

export const withToolUseId = (block: ToolUseBlock, id: string): ToolUseBlock =>
  block.id === id ? block : { ...block, id };

export const withResultId = (block: ToolResultBlock, id: string): ToolResultBlock =>
  block.tool_use_id === id ? block : { ...block, tool_use_id: id };

export const noContent = { type: "text", text: NO_CONTENT_TEXT } as const;
