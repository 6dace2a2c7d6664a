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
  type Cleaner,
} from "./block-fields.js";
import { isFields, type Fields } from "../fields.js";

/** Calls that the provider carries out and their results. Both stand in the assistant's message. */

const SERVER_ID = /^srvtoolu_[a-zA-Z0-9_]+$/;
const MCP_ID = /^[a-zA-Z0-9_-]+$/;
const SERVER_TOOLS: ReadonlySet<unknown> = new Set([
  "web_search",
  "web_fetch",
  "code_execution",
  "bash_code_execution",
  "text_editor_code_execution",
  "tool_search_tool_regex",
  "tool_search_tool_bm25",
]);

const SERVER_TOOL_USE = fieldsOf("id", "name", "input", "caller");
const MCP_TOOL_USE = fieldsOf("id", "name", "input", "server_name");
const RESULT = fieldsOf("tool_use_id", "content");
const RESULT_WITH_CALLER = fieldsOf("tool_use_id", "content", "caller");
const MCP_RESULT = fieldsOf("tool_use_id", "content", "is_error");

const matches = (value: unknown, pattern: RegExp): boolean => isText(value) && pattern.test(value);

const cleanServerToolUse: Cleaner = (block, context) =>
  matches(block["id"], SERVER_ID) && SERVER_TOOLS.has(block["name"]) && isFields(block["input"])
    ? wellFormed(keepFields(cleanCaller(block), SERVER_TOOL_USE), context)
    : malformed(context);

const cleanMcpToolUse: Cleaner = (block, context) =>
  matches(block["id"], MCP_ID) &&
  isFilled(block["name"]) &&
  block["name"].length <= 200 &&
  isFilled(block["server_name"]) &&
  isFields(block["input"])
    ? wellFormed(keepFields(block, MCP_TOOL_USE), context)
    : malformed(context);

/** A result whose content is one object of these kinds; what it holds is the provider's own. */
const cleanResult =
  (
    allowed: ReadonlySet<string>,
    kinds: RegExp,
    isContent = isFields as (value: unknown) => boolean,
  ): Cleaner =>
  (block, context) => {
    const { content } = block;
    const fits = isContent(content) && (!isFields(content) || matches(content["type"], kinds));
    return fits && matches(block["tool_use_id"], SERVER_ID)
      ? wellFormed(keepFields(cleanCaller(block), allowed), context)
      : malformed(context);
  };

const isSearchContent = (value: unknown): boolean =>
  isFields(value) ||
  (Array.isArray(value) && value.every((item) => isFields(item) && item["type"] === "web_search_result"));

const isToolSearchContent = (value: unknown): boolean =>
  isFields(value) &&
  (value["tool_references"] === undefined ||
    (Array.isArray(value["tool_references"]) && value["tool_references"].every(isToolReference)));

const isToolReference = (value: unknown): boolean =>
  isFields(value) &&
  value["type"] === "tool_reference" &&
  isFilled(value["tool_name"]) &&
  Object.keys(value).length === 2;

const isTextBlock = (value: unknown): value is Fields =>
  isFields(value) && value["type"] === "text" && isText(value["text"]) && value["text"].trim() !== "";

const cleanMcpResult: Cleaner = (block, context) => {
  if (!matches(block["tool_use_id"], MCP_ID)) return malformed(context);
  let bare = typeof block["is_error"] === "boolean" ? block : dropField(block, "is_error");
  const { content } = bare;
  if (content !== undefined && !isText(content)) {
    const texts = Array.isArray(content) ? content.filter(isTextBlock) : [];
    const bareTexts = texts.map((text) => keepFields(text, fieldsOf("text")));
    bare = replaceField(bare, "content", bareTexts);
  }
  return wellFormed(keepFields(bare, MCP_RESULT), context);
};

export const serverBlocks: Readonly<Record<string, Cleaner>> = {
  server_tool_use: cleanServerToolUse,
  mcp_tool_use: cleanMcpToolUse,
  web_search_tool_result: cleanResult(RESULT_WITH_CALLER, /^web_search_tool_result_error$/, isSearchContent),
  web_fetch_tool_result: cleanResult(RESULT_WITH_CALLER, /^web_fetch_(?:result|tool_result_error)$/),
  code_execution_tool_result: cleanResult(
    RESULT,
    /^(?:(?:encrypted_)?code_execution_result|code_execution_tool_result_error)$/,
  ),
  bash_code_execution_tool_result: cleanResult(RESULT, /^bash_code_execution_(?:result|tool_result_error)$/),
  text_editor_code_execution_tool_result: cleanResult(
    RESULT,
    /^text_editor_code_execution_(?:(?:view|create|str_replace)_result|tool_result_error)$/,
  ),
  tool_search_tool_result: cleanResult(
    RESULT,
    /^tool_search_tool_(?:search_result|result_error)$/,
    isToolSearchContent,
  ),
  mcp_tool_result: cleanMcpResult,
};
