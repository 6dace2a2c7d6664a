import { markerTtl } from "./cache-control.js";
import { Cursor, emptyNotes, isObject, type JsonObject, type Notes } from "./cursor.js";
import { findMalformedJson } from "./json-walk.js";
import { ownWordings } from "./own-wordings.js";
import type { Finding } from "./problem.js";
import { checkBlock, type Role } from "./role-blocks.js";
import { serverToolCalls, serverToolResults } from "./server-tool-blocks.js";
import { literal, listOf, nullable, optional, optionalUnless, record, required, anything } from "./shape.js";
import { checkText } from "./text-block.js";

export interface CallFact {
  readonly id: string;
  readonly block: number;
  readonly type: string;
  readonly name: string;
}

interface ResultFact {
  readonly id: string;
  readonly block: number;
  readonly type: string;
}

/** What one message says by itself, whatever the options, the model and its place in the request. */
export interface MessageFacts {
  readonly role: Role | undefined;
  /** What keeps it from being JSON. */
  readonly malformed: readonly Finding[];
  readonly notes: Readonly<Notes>;
  /** The type of each block; undefined for one that its role may not hold. */
  readonly types: readonly (string | undefined)[];
  readonly isEmpty: boolean;
  readonly toolUses: readonly CallFact[];
  readonly toolResults: readonly ResultFact[];
  readonly serverCalls: readonly CallFact[];
  readonly serverResults: readonly ResultFact[];
  /** Compaction blocks that hold a summary. */
  readonly compactions: readonly { readonly block: number; readonly isSigned: boolean }[];
  readonly changesTools: boolean;
  /** The last block that a marker may stand on, and the marker that stands there. */
  readonly lastMarkable: { readonly path: string; readonly ttl: "5m" | "1h" | undefined } | undefined;
  readonly endsWithWhitespace: boolean;
}

const remembered = new WeakMap<object, MessageFacts>();

/** The facts of a message; found once per object, which must not change afterwards. */
export function factsOf(message: unknown): MessageFacts {
  if (typeof message !== "object" || message === null) return findFacts(message);
  let facts = remembered.get(message);
  if (facts === undefined) {
    facts = findFacts(message);
    remembered.set(message, facts);
  }
  return facts;
}

/** The level of a message inside the request: below the request and its list. */
const MESSAGE_LEVEL = 3;

const role = required(literal("user", "assistant", "system"));
const messageShape = record({ role, content: required(anything) });
const systemMessageShape = record({
  role,
  content: optional(anything),
  clear_at: optionalUnless(
    { kind: "without-betas", betas: ["mid-conversation-system-clear-at-2026-08-21"] },
    nullable(literal("next_user_message", "never")),
  ),
  output_config: optionalUnless(
    { kind: "without-betas", betas: ["mid-conversation-output-config-2026-07-01"] },
    nullable(record({ effort: optional(nullable(literal("low", "medium", "high", "xhigh", "max"))) })),
  ),
});

function findFacts(message: unknown): MessageFacts {
  const notes = emptyNotes();
  const cursor = new Cursor({ value: message, notes });
  const role = readRole(message);
  (role === "system" ? systemMessageShape : messageShape)(cursor);
  const content = cursor.at("content");
  const types = role === undefined ? [] : checkContent(content, role);
  const setsEffort = role === "system" && hasSettings(cursor);
  if (role === "system" && !setsEffort) refuseEmptySystemMessage(cursor);
  const blocks = Array.isArray(content.value) ? (content.value as readonly unknown[]) : [];
  return {
    role,
    malformed: findMalformedJson(message, MESSAGE_LEVEL),
    notes,
    types,
    isEmpty: !setsEffort && (content.value === "" || (Array.isArray(content.value) && blocks.length === 0)),
    toolUses: callsOf(blocks, (index) => types[index] === "tool_use"),
    toolResults: resultsOf(blocks, (index) => types[index] === "tool_result"),
    serverCalls: callsOf(blocks, (index) => serverToolCalls.has(types[index] ?? "")),
    serverResults: resultsOf(blocks, (index) => serverToolResults.has(types[index] ?? "")),
    compactions: compactionsOf(blocks, types),
    changesTools: blocks.some(changesTools),
    lastMarkable: lastMarkableOf(content.value, types),
    endsWithWhitespace: lastText(content.value).at(-1)?.trim() === "",
  };
}

function readRole(message: unknown): Role | undefined {
  const given = isObject(message) ? message["role"] : undefined;
  return given === "user" || given === "assistant" || given === "system" ? given : undefined;
}

/** Judges the content; returns the type of each block, a string being one text block. */
function checkContent(content: Cursor, role: Role): (string | undefined)[] {
  const { value } = content;
  if (value === undefined) return [];
  if (typeof value === "string") {
    if (value === "") return [];
    checkText(content, { area: "messages", text: value });
    return ["text"];
  }
  const types: (string | undefined)[] = [];
  listOf((block) => types.push(checkBlock(block, role)))(content);
  return types;
}

/** A system message may change the effort from there on and say nothing: its content is then left out, or an empty list. */
function hasSettings(cursor: Cursor): boolean {
  const settings = cursor.at("output_config").value;
  return isObject(settings) && Object.keys(settings).length > 0;
}

function refuseEmptySystemMessage(cursor: Cursor): void {
  if (cursor.at("content").value === undefined) {
    cursor.refuse({ rule: "empty-system-message", text: ownWordings.emptySystemMessage });
  }
}

type Selects = (index: number) => boolean;

function callsOf(blocks: readonly unknown[], selects: Selects): readonly CallFact[] {
  const calls: CallFact[] = [];
  for (const [index, block] of blocks.entries()) {
    if (!selects(index) || !isObject(block) || typeof block["id"] !== "string") continue;
    const name = typeof block["name"] === "string" ? block["name"] : "";
    calls.push({ id: block["id"], block: index, type: String(block["type"]), name });
  }
  return calls;
}

function resultsOf(blocks: readonly unknown[], selects: Selects): readonly ResultFact[] {
  const results: ResultFact[] = [];
  for (const [index, block] of blocks.entries()) {
    if (!selects(index) || !isObject(block) || typeof block["tool_use_id"] !== "string") continue;
    results.push({ id: block["tool_use_id"], block: index, type: String(block["type"]) });
  }
  return results;
}

function compactionsOf(
  blocks: readonly unknown[],
  types: readonly (string | undefined)[],
): MessageFacts["compactions"] {
  return blocks.flatMap((block, index) => {
    if (types[index] !== "compaction" || !isObject(block) || typeof block["content"] !== "string") return [];
    return [{ block: index, isSigned: typeof block["signature"] === "string" }];
  });
}

function changesTools(block: unknown): boolean {
  if (!isObject(block)) return false;
  if (block["type"] === "compaction") return Array.isArray(block["tool_changes"]);
  return block["type"] === "tool_addition" || block["type"] === "mcp_tool_listing";
}

const unmarkable = new Set(["thinking", "redacted_thinking", "cache_edits", "fallback", "mcp_tool_listing"]);

function isMarkable(block: JsonObject, type: string | undefined): boolean {
  return type !== undefined && !unmarkable.has(type) && !(type === "text" && block["text"] === "");
}

function lastMarkableOf(
  content: unknown,
  types: readonly (string | undefined)[],
): MessageFacts["lastMarkable"] {
  if (typeof content === "string") return content === "" ? undefined : { path: "content", ttl: undefined };
  if (!Array.isArray(content)) return undefined;
  for (let index = content.length - 1; index >= 0; index -= 1) {
    const block: unknown = content[index];
    if (isObject(block) && isMarkable(block, types[index])) {
      return { path: `content.${index}`, ttl: markerTtl(block["cache_control"]) };
    }
  }
  return undefined;
}

function lastText(content: unknown): string {
  if (typeof content === "string") return content;
  const last: unknown = Array.isArray(content) ? content.at(-1) : undefined;
  return isObject(last) && last["type"] === "text" && typeof last["text"] === "string" ? last["text"] : "";
}
