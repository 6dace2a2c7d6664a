import type { Check } from "./cursor.js";
import type { Condition } from "./problem.js";
import { ownWordings } from "./own-wordings.js";
import {
  boolean,
  integer,
  listOf,
  literal,
  nullable,
  optional,
  readTag,
  record,
  required,
  string,
  union,
  unknownTag,
  variant,
} from "./shape.js";

/** The edits that the provider makes to the context before the model sees it. */

const SMALLEST_COMPACT_TRIGGER = 50_000;
export const CLEAR_THINKING = "clear_thinking_20251015";

const inputTokens = (min: number) => variant("input_tokens", { value: required(integer(min)) });
const toolUses = (min: number) => variant("tool_uses", { value: required(integer(min)) });
const tokens = union(new Map([inputTokens(0)]));

const names: Check = listOf(string);
const booleanOrNames: Check = (cursor) => {
  if (typeof cursor.value !== "boolean") (Array.isArray(cursor.value) ? names : boolean)(cursor);
};

const keptThinking: Check = (cursor) => {
  if (typeof cursor.value === "string") literal("all")(cursor);
  else
    union(new Map([variant("thinking_turns", { value: required(integer(1)) }), variant("all", {})]))(cursor);
};

const edits: ReadonlyMap<string, Check> = new Map([
  variant("clear_tool_uses_20250919", {
    clear_at_least: optional(nullable(tokens)),
    clear_tool_inputs: optional(nullable(booleanOrNames)),
    exclude_tools: optional(nullable(names)),
    keep: optional(union(new Map([toolUses(0)]))),
    trigger: optional(union(new Map([inputTokens(1), toolUses(1)]))),
  }),
  variant(CLEAR_THINKING, { keep: optional(keptThinking) }),
  variant("compact_20260112", {
    instructions: optional(nullable(string)),
    pause_after_compaction: optional(boolean),
    trigger: optional(nullable(union(new Map([inputTokens(SMALLEST_COMPACT_TRIGGER)])))),
  }),
]);

const withoutHeader = (type: string): Condition => ({
  kind: "without-betas",
  betas: [type === "compact_20260112" ? "compact-2026-01-12" : "context-management-2025-06-27"],
});

const edit: Check = (cursor) => {
  const type = readTag(cursor);
  if (type === undefined) return;
  const check = edits.get(type);
  const others = [...edits.keys()].filter((known) => known !== type);
  const text = unknownTag(type, others);
  if (check === undefined) {
    cursor.refuse({ rule: "unknown-type", text });
  } else {
    cursor.refuse({ rule: "unknown-type", text, condition: withoutHeader(type) });
    check(cursor.tagged(type));
  }
};

const shape = record({ edits: optional(listOf(edit)) });

export const contextManagement: Check = (cursor) => {
  shape(cursor);
  const list = cursor.at("edits");
  if (!Array.isArray(list.value)) return;
  for (let index = 1; index < list.value.length; index += 1) {
    const later = list.at(index);
    if (later.at("type").value === CLEAR_THINKING) {
      later.refuse({ rule: "context-edit-order", text: ownWordings.clearThinkingNotFirst });
    }
  }
};
