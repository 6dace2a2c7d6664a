import { apiTexts } from "./api-texts.js";
import { cacheControl } from "./cache-control.js";
import { isObject, type Check, type Cursor } from "./cursor.js";
import {
  boolean,
  listOf,
  literal,
  nullable,
  object,
  optional,
  record,
  required,
  string,
  text,
  unknownTag,
  type Field,
} from "./shape.js";

/** The `tools` of a request. */

const inputSchema: Check = (cursor) => {
  if (!isObject(cursor.value)) {
    object(cursor);
    return;
  }
  const type = cursor.at("type");
  if (type.value === undefined) type.refuse({ rule: "field-required", text: "Field required" });
  else literal("object")(type);
};

const customTool = record({
  name: required(text({ pattern: /^[a-zA-Z0-9_-]{1,128}$/ })),
  input_schema: required(inputSchema),
  type: optional(nullable(literal("custom"))),
  description: optional(string),
  cache_control: cacheControl,
  allowed_callers: optional(listOf(string)),
  defer_loading: optional(boolean),
  eager_input_streaming: optional(nullable(boolean)),
  input_examples: optional(listOf(object)),
  strict: optional(boolean),
});

/** The names that the provider's own tools have, by their type; null for a set of tools. */
const providerTools: ReadonlyMap<string, string | null> = new Map([
  ["advisor_20260301", "advisor"],
  ["bash_20241022", "bash"],
  ["bash_20250124", "bash"],
  ["browser_toolset_20260801", null],
  ["code_execution_20250522", "code_execution"],
  ["code_execution_20250825", "code_execution"],
  ["code_execution_20260120", "code_execution"],
  ["code_execution_20260521", "code_execution"],
  ["computer_20241022", "computer"],
  ["computer_20250124", "computer"],
  ["computer_20251124", "computer"],
  ["computer_toolset_20260801", null],
  ["mcp_toolset", null],
  ["memory_20250818", "memory"],
  ["text_editor_20241022", "str_replace_editor"],
  ["text_editor_20250124", "str_replace_editor"],
  ["text_editor_20250429", "str_replace_based_edit_tool"],
  ["text_editor_20250728", "str_replace_based_edit_tool"],
  ["tool_search_tool_bm25", "tool_search_tool_bm25"],
  ["tool_search_tool_bm25_20251119", "tool_search_tool_bm25"],
  ["tool_search_tool_regex", "tool_search_tool_regex"],
  ["tool_search_tool_regex_20251119", "tool_search_tool_regex"],
  ["web_fetch_20250910", "web_fetch"],
  ["web_fetch_20260209", "web_fetch"],
  ["web_fetch_20260309", "web_fetch"],
  ["web_fetch_20260318", "web_fetch"],
  ["web_search_20250305", "web_search"],
  ["web_search_20260209", "web_search"],
  ["web_search_20260318", "web_search"],
]);

const tool: Check = (cursor) => {
  const type = cursor.at("type");
  if (!isObject(cursor.value) || type.value === undefined || type.value === null || type.value === "custom") {
    customTool(isObject(cursor.value) ? cursor.tagged("custom") : cursor);
  } else if (typeof type.value !== "string") string(type);
  else checkProviderTool(cursor, type.value);
};

/** Only the name and the marker: the settings of the provider's tools are its own. */
function checkProviderTool(cursor: Cursor, type: string): void {
  const name = providerTools.get(type);
  if (name === undefined) {
    cursor.refuse({ rule: "unknown-type", text: unknownTag(type, ["custom", ...providerTools.keys()]) });
    return;
  }
  const tagged = cursor.tagged(type);
  if (name !== null) {
    const given = tagged.at("name");
    if (given.value === undefined) given.refuse({ rule: "field-required", text: "Field required" });
    else literal(name)(given);
  }
  checkOptional(tagged.at("cache_control"), cacheControl);
}

function checkOptional(member: Cursor, field: Field): void {
  if (member.value !== undefined) field.check(member);
}

const toolList = listOf(tool);

export const tools: Check = (cursor) => {
  toolList(cursor);
  const names = declaredTools(cursor.value).list;
  if (new Set(names).size < names.length) {
    cursor.refuse({ rule: "duplicate-tool-name", text: apiTexts.duplicateToolName });
  }
};

export interface DeclaredTools {
  /** In the order of declaration, repetitions included. */
  readonly list: readonly string[];
  /** Whether there are tools whose names the request does not say. */
  readonly hasUnnamed: boolean;
}

/** The names of the tools that a request declares. */
export function declaredTools(value: unknown): DeclaredTools {
  const list: string[] = [];
  let hasUnnamed = false;
  for (const item of Array.isArray(value) ? (value as readonly unknown[]) : []) {
    if (!isObject(item)) continue;
    if (typeof item["name"] === "string") list.push(item["name"]);
    else if (typeof item["type"] === "string" && item["type"] !== "custom") hasUnnamed = true;
  }
  return { list, hasUnnamed };
}
