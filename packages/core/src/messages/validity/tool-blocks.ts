import { apiTexts } from "./api-texts.js";
import { cacheControl } from "./cache-control.js";
import { isObject, type Check, type Cursor } from "./cursor.js";
import { documentBlock, imageBlock, searchResultBlock } from "./media-blocks.js";
import type { Condition } from "./problem.js";
import {
  anything,
  boolean,
  listOf,
  literal,
  nullable,
  object,
  optional,
  optionalUnless,
  record,
  required,
  string,
  stringOr,
  text,
  union,
  variant,
} from "./shape.js";
import { textBlock } from "./text-block.js";

/** Calls of the client's own tools and their results. */

const ID = /^[a-zA-Z0-9_-]+$/;
export const toolId: Check = text({ pattern: ID });
export const toolName: Check = text({ min: 1, max: 200 });

/** Where a field or block of the private extension is refused. */
export const withoutCacheEdits: Condition = { kind: "no-cache-edits" };

export const caller: Check = union(
  new Map([
    variant("direct", {}),
    variant("code_execution_20250825", { tool_id: required(string) }),
    variant("code_execution_20260120", { tool_id: required(string) }),
  ]),
);

export const toolUseBlock: Check = record({
  type: required(literal("tool_use")),
  id: required(toolId),
  input: required(object),
  name: required(toolName),
  cache_control: cacheControl,
  caller: optional(caller),
  toolset_name: optional(nullable(string)),
});

const toolReferenceShape = record({
  type: required(literal("tool_reference")),
  tool_name: required(text({ min: 1 })),
  cache_control: cacheControl,
});

export const toolReferenceBlock: Check = (cursor) => {
  toolReferenceShape(cursor);
  const { value } = cursor.at("tool_name");
  if (typeof value === "string") {
    cursor.notes.toolReferences.push({ path: cursor.path, name: value });
  }
};

const resultContent = union(
  new Map<string, Check>([
    ["text", textBlock({ area: "messages", nested: true })],
    ["image", imageBlock],
    ["document", documentBlock],
    ["search_result", searchResultBlock],
    ["tool_reference", toolReferenceBlock],
    ["browser_state", anything],
  ]),
);

const toolResultShape = record({
  type: required(literal("tool_result")),
  tool_use_id: required(toolId),
  content: optional(stringOr(listOf(resultContent))),
  is_error: optional(boolean),
  cache_reference: optionalUnless(withoutCacheEdits, string),
  toolset_name: optional(nullable(string)),
  cache_control: cacheControl,
});

export const toolResultBlock: Check = (cursor) => {
  toolResultShape(cursor);
  if (cursor.at("is_error").value === true && holdsMoreThanText(cursor.at("content"))) {
    cursor.refuse({ rule: "error-result-not-text", text: apiTexts.errorResultNotText });
  }
};

function holdsMoreThanText(content: Cursor): boolean {
  const { value } = content;
  return Array.isArray(value) && value.some((item: unknown) => isObject(item) && item["type"] !== "text");
}

/** The private extension: deletes results inside the cached prefix. */
export const cacheEditsBlock: Check = record({
  type: required(literal("cache_edits")),
  edits: required(listOf(union(new Map([variant("delete", { cache_reference: required(string) })])))),
});
