import { isFields } from "../../messages/fields.js";

export interface BlockFault {
  /** Undefined: the block itself. */
  readonly field?: string;
  readonly expected: string;
}

/** The fields that every reader of such a block relies on. Kinds that are not listed pass as they are. */
const required: ReadonlyMap<string, Readonly<Record<string, "a string" | "an object">>> = new Map([
  ["text", { text: "a string" }],
  ["thinking", { thinking: "a string" }],
  ["redacted_thinking", { data: "a string" }],
  ["tool_use", { id: "a string", name: "a string", input: "an object" }],
  ["server_tool_use", { id: "a string", name: "a string" }],
  ["mcp_tool_use", { id: "a string", name: "a string" }],
]);

/** Why a value is no block of an assistant message; undefined when it is one. Never throws. */
export function findBlockFault(block: unknown): BlockFault | undefined {
  if (!isFields(block)) return { expected: "an object" };
  const { type } = block;
  if (typeof type !== "string") return { field: "type", expected: "a string" };
  for (const [field, expected] of Object.entries(required.get(type) ?? {})) {
    const value = block[field];
    const fits = expected === "a string" ? typeof value === "string" : isFields(value);
    if (!fits) return { field, expected };
  }
  return undefined;
}
