import { cacheControl } from "./cache-control.js";
import type { Check, Cursor } from "./cursor.js";
import {
  anything,
  boolean,
  listOf,
  literal,
  object,
  optional,
  record,
  required,
  string,
  stringOr,
  text,
  union,
  type Field,
} from "./shape.js";
import { textBlock } from "./text-block.js";
import { caller, toolId, toolName, toolReferenceBlock } from "./tool-blocks.js";

/** Calls that the provider carries out, and their results. */

const SERVER_ID = /^srvtoolu_[a-zA-Z0-9_]+$/;
const serverId = text({ pattern: SERVER_ID });

/** The block that answers a call of each server tool. */
const resultTypes: ReadonlyMap<string, string> = new Map([
  ["advisor", "advisor_tool_result"],
  ["web_search", "web_search_tool_result"],
  ["web_fetch", "web_fetch_tool_result"],
  ["code_execution", "code_execution_tool_result"],
  ["bash_code_execution", "bash_code_execution_tool_result"],
  ["text_editor_code_execution", "text_editor_code_execution_tool_result"],
  ["tool_search_tool_regex", "tool_search_tool_result"],
  ["tool_search_tool_bm25", "tool_search_tool_result"],
]);

/** The type of the block that answers a call, as the API names it in its errors. */
export function resultTypeOf(toolUseType: string, name: string): string {
  if (toolUseType === "mcp_tool_use") return "mcp_tool_result";
  return resultTypes.get(name) ?? `${name}_tool_result`;
}

const serverToolUse = record({
  type: required(literal("server_tool_use")),
  id: required(serverId),
  input: required(object),
  name: required(literal(...resultTypes.keys())),
  cache_control: cacheControl,
  caller: optional(caller),
});

const mcpToolUse = record({
  type: required(literal("mcp_tool_use")),
  id: required(toolId),
  input: required(object),
  name: required(toolName),
  server_name: required(string),
  cache_control: cacheControl,
});

const mcpToolResult = record({
  type: required(literal("mcp_tool_result")),
  tool_use_id: required(toolId),
  content: optional(
    stringOr(listOf(union(new Map([["text", textBlock({ area: "messages", nested: true })]])))),
  ),
  is_error: optional(boolean),
  cache_control: cacheControl,
});

/** One of these kinds of result; what they hold is the provider's own and is not looked into. */
function resultKinds(...types: readonly string[]): Check {
  return union(new Map<string, Check>(types.map((type) => [type, anything])));
}

const webSearchContent: Check = (cursor) => {
  if (Array.isArray(cursor.value)) listOf(resultKinds("web_search_result"))(cursor);
  else resultKinds("web_search_tool_result_error")(cursor);
};

const toolSearchKinds = resultKinds("tool_search_tool_search_result", "tool_search_tool_result_error");
const toolReferences = listOf(union(new Map([["tool_reference", toolReferenceBlock]])));

const toolSearchContent: Check = (cursor) => {
  toolSearchKinds(cursor);
  const references: Cursor = cursor.tagged("tool_search_tool_search_result").at("tool_references");
  if (references.value !== undefined) toolReferences(references);
};

function serverResult(
  type: string,
  content: Check,
  extra: Readonly<Record<string, Field>> = {},
): [string, Check] {
  const shape = record({
    type: required(literal(type)),
    content: required(content),
    tool_use_id: required(serverId),
    cache_control: cacheControl,
    ...extra,
  });
  return [type, shape];
}

const withCaller = { caller: optional(caller) };

export const serverToolCalls: ReadonlyMap<string, Check> = new Map([
  ["server_tool_use", serverToolUse],
  ["mcp_tool_use", mcpToolUse],
]);

export const serverToolResults: ReadonlyMap<string, Check> = new Map<string, Check>([
  serverResult("web_search_tool_result", webSearchContent, withCaller),
  serverResult(
    "web_fetch_tool_result",
    resultKinds("web_fetch_result", "web_fetch_tool_result_error"),
    withCaller,
  ),
  serverResult(
    "code_execution_tool_result",
    resultKinds(
      "code_execution_result",
      "encrypted_code_execution_result",
      "code_execution_tool_result_error",
    ),
  ),
  serverResult(
    "bash_code_execution_tool_result",
    resultKinds("bash_code_execution_result", "bash_code_execution_tool_result_error"),
  ),
  serverResult(
    "text_editor_code_execution_tool_result",
    resultKinds(
      "text_editor_code_execution_view_result",
      "text_editor_code_execution_create_result",
      "text_editor_code_execution_str_replace_result",
      "text_editor_code_execution_tool_result_error",
    ),
  ),
  serverResult("tool_search_tool_result", toolSearchContent),
  serverResult(
    "advisor_tool_result",
    resultKinds("advisor_result", "advisor_redacted_result", "advisor_tool_result_error"),
  ),
  ["mcp_tool_result", mcpToolResult],
]);
