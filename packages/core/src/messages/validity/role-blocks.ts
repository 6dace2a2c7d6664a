import { apiTexts } from "./api-texts.js";
import { cacheControl } from "./cache-control.js";
import type { Check, Cursor } from "./cursor.js";
import { documentBlock, imageBlock, searchResultBlock } from "./media-blocks.js";
import { ownWordings } from "./own-wordings.js";
import type { Condition } from "./problem.js";
import {
  anything,
  EXTRA_FIELD,
  listOf,
  literal,
  nullable,
  object,
  optional,
  optionalUnless,
  readTag,
  record,
  required,
  string,
  text,
  unknownTag,
} from "./shape.js";
import { serverToolCalls, serverToolResults } from "./server-tool-blocks.js";
import { textBlock } from "./text-block.js";
import { cacheEditsBlock, toolResultBlock, toolUseBlock, withoutCacheEdits } from "./tool-blocks.js";

export type Role = "user" | "assistant" | "system";

const THINKING_SHAPE = record({
  type: required(literal("thinking")),
  thinking: required(string),
  signature: required(string),
});

const thinkingBlock: Check = (cursor) => {
  THINKING_SHAPE(cursor);
  if (cursor.at("signature").value === "") {
    cursor.notes.findings.push({
      path: cursor.path,
      label: cursor.path,
      rule: "invalid-signature",
      text: apiTexts.invalidSignature,
    });
  }
};

const redactedThinkingBlock = record({
  type: required(literal("redacted_thinking")),
  data: required(text({ min: 1 })),
});

const containerUploadBlock = record({
  type: required(literal("container_upload")),
  file_id: required(text({ min: 1 })),
  cache_control: cacheControl,
});

const compactionBlock = record({
  type: required(literal("compaction")),
  content: optional(nullable(text({ min: 1 }))),
  encrypted_content: optional(nullable(string)),
  signature: optionalUnless({ kind: "without-betas", betas: ["compact-2026-09-04"] }, nullable(string)),
  tool_changes: optional(nullable(listOf(object))),
  cache_control: cacheControl,
});

const toolChangeBlock = (type: "tool_addition" | "tool_removal"): Check =>
  record({ type: required(literal(type)), tool: required(object), cache_control: cacheControl });

const plainText = textBlock({ area: "messages" });

const userBlocks: ReadonlyMap<string, Check> = new Map<string, Check>([
  ["text", plainText],
  ["image", imageBlock],
  ["document", documentBlock],
  ["search_result", searchResultBlock],
  ["tool_result", toolResultBlock],
  ["container_upload", containerUploadBlock],
]);

const assistantBlocks: ReadonlyMap<string, Check> = new Map<string, Check>([
  ["text", plainText],
  ["thinking", thinkingBlock],
  ["redacted_thinking", redactedThinkingBlock],
  ["tool_use", toolUseBlock],
  ...serverToolCalls,
  ...serverToolResults,
  ["container_upload", containerUploadBlock],
  ["compaction", compactionBlock],
  ["mcp_tool_listing", anything],
  ["fallback", anything],
]);

const systemBlocks: ReadonlyMap<string, Check> = new Map<string, Check>([
  ["text", plainText],
  ["tool_addition", toolChangeBlock("tool_addition")],
  ["tool_removal", toolChangeBlock("tool_removal")],
]);

const blocksByRole: Readonly<Record<Role, ReadonlyMap<string, Check>>> = {
  user: userBlocks,
  assistant: assistantBlocks,
  system: systemBlocks,
};

const mcpBetas = ["mcp-client-2025-04-04", "mcp-client-2025-11-20", "mcp-client-2026-09-15"];
const toolChangeBetas = ["mid-conversation-tool-changes-2026-07-01", "inline-tools-2026-09-15"];

/** The headers without which the API does not know a type of block. */
const betasByType: ReadonlyMap<string, readonly string[]> = new Map([
  ["compaction", ["compact-2026-01-12", "compact-2026-09-04"]],
  ["mcp_tool_use", mcpBetas],
  ["mcp_tool_result", mcpBetas],
  ["mcp_tool_listing", mcpBetas],
  ["tool_addition", toolChangeBetas],
  ["tool_removal", toolChangeBetas],
]);

/** Judges a block of a message with this role; returns its type where the role may hold it. */
export function checkBlock(cursor: Cursor, role: Role): string | undefined {
  const type = readTag(cursor);
  if (type === undefined) return undefined;
  const blocks = blocksByRole[role];
  const check = blocks.get(type);
  if (check !== undefined) {
    const betas = betasByType.get(type);
    if (betas !== undefined) {
      const without = [...blocks.keys()].filter((known) => !betasByType.has(known));
      cursor.refuse({
        rule: "unknown-type",
        text: unknownTag(type, without),
        condition: { kind: "without-betas", betas },
      });
    }
    if (role === "user" && type === "text") refuseCitations(cursor);
    check(cursor.tagged(type));
    return type;
  }
  return checkForeignBlock(cursor, { role, type });
}

/** A block that its role does not list: the few that some options accept, and the refusals. */
function checkForeignBlock(
  cursor: Cursor,
  given: { readonly role: Role; readonly type: string },
): string | undefined {
  const { role, type } = given;
  if (role === "user" && type === "cache_edits") {
    cursor.refuse({ rule: "extra-field", text: EXTRA_FIELD, condition: withoutCacheEdits });
    cacheEditsBlock(cursor.tagged(type));
    return type;
  }
  if (role === "assistant" && type === "document") {
    refuseRole(cursor, { type, home: "user", condition: { kind: "strict-version" } });
    documentBlock(cursor.tagged(type));
    return type;
  }
  const home = (["user", "assistant", "system"] as const).find((other) => blocksByRole[other].has(type));
  if (home === undefined) {
    cursor.refuse({ rule: "unknown-type", text: unknownTag(type, blocksByRole[role].keys()) });
  } else {
    refuseRole(cursor, { type, home });
  }
  return undefined;
}

/** The API names the message here, not the block. */
function refuseRole(
  cursor: Cursor,
  given: { readonly type: string; readonly home: Role; readonly condition?: Condition },
): void {
  cursor.notes.findings.push({
    path: cursor.path,
    label: "",
    rule: "block-in-wrong-role",
    text: apiTexts.blockInWrongRole(given.type, given.home),
    ...(given.condition === undefined ? {} : { condition: given.condition }),
  });
}

function refuseCitations(cursor: Cursor): void {
  const citations = cursor.tagged("text").at("citations");
  if (Array.isArray(citations.value) && citations.value.length > 0) {
    citations.refuse({
      rule: "citations-on-user-text",
      text: ownWordings.citationsOnUserText,
      condition: { kind: "strict-version" },
    });
  }
}
