/** The header without which the provider refuses the parameter. */
export const CONTEXT_MANAGEMENT_BETA = "context-management-2025-06-27";

export interface ClearToolUsesEdit {
  readonly type: "clear_tool_uses_20250919";
  readonly trigger: { readonly type: "input_tokens"; readonly value: number };
  readonly keep: { readonly type: "tool_uses"; readonly value: number };
  readonly clear_at_least: { readonly type: "input_tokens"; readonly value: number };
  readonly exclude_tools?: readonly string[];
  readonly clear_tool_inputs?: readonly string[];
}

export interface ClearThinkingEdit {
  readonly type: "clear_thinking_20251015";
  readonly keep: "all" | { readonly type: "thinking_turns"; readonly value: number };
}

/** The `context_management` of a request. */
export interface ContextManagement {
  readonly edits: readonly (ClearThinkingEdit | ClearToolUsesEdit)[];
}

export interface NativeStrategies {
  readonly thinking: "all" | "last-turn" | undefined;
  readonly toolUses: Omit<ClearToolUsesEdit, "type"> | undefined;
}

/** The parameter for these strategies, thinking first as the provider demands; undefined for none. */
export function contextManagementOf({ thinking, toolUses }: NativeStrategies): ContextManagement | undefined {
  const edits: (ClearThinkingEdit | ClearToolUsesEdit)[] = [];
  if (thinking !== undefined) {
    const keep = thinking === "all" ? "all" : ({ type: "thinking_turns", value: 1 } as const);
    edits.push({ type: "clear_thinking_20251015", keep });
  }
  if (toolUses !== undefined) edits.push({ type: "clear_tool_uses_20250919", ...toolUses });
  return edits.length === 0 ? undefined : { edits };
}

/** What a response says of tool uses that were cleared for it; undefined where none were. */
export function clearedToolUses(
  contextManagement: unknown,
): { readonly count: number; readonly tokens: number } | undefined {
  const applied: unknown = fieldsOf(contextManagement)["applied_edits"];
  const edit = (Array.isArray(applied) ? applied : [])
    .map(fieldsOf)
    .find(({ type }) => type === "clear_tool_uses_20250919");
  const count = edit?.["cleared_tool_uses"];
  const tokens = edit?.["cleared_input_tokens"];
  return typeof count === "number" && typeof tokens === "number" && count > 0 ? { count, tokens } : undefined;
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
