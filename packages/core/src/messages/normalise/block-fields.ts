import { isFields, type Fields } from "../fields.js";
import { cleanJson } from "./clean-json.js";
import type { RepairKind } from "./repairs.js";
import type { JsonSchema } from "./repair-tool-input.js";

/** What cleaning a block needs to know, and where it tells what it mended. */
export interface CleanContext {
  readonly report: (kind: RepairKind, toolUseId?: string) => void;
  /** Schemas of the tools that are declared, by name; undefined where they are not known. */
  readonly toolSchemas: ReadonlyMap<string, JsonSchema> | undefined;
}

/** The block as the API accepts it, the same reference where it was in order; null for one that goes. */
export type Cleaner = (block: Fields, context: CleanContext) => Fields | null;

export const isText = (value: unknown): value is string => typeof value === "string";
export const isFilled = (value: unknown): value is string => typeof value === "string" && value !== "";

/** `type` and the named fields. */
export const fieldsOf = (...names: string[]): ReadonlySet<string> => new Set(["type", ...names]);

/** The block with these fields only, in its own order; the same reference where nothing has to go. */
export function keepFields(block: Fields, allowed: ReadonlySet<string>): Fields {
  const keys = Object.keys(block);
  if (keys.every((key) => allowed.has(key) && block[key] !== undefined)) return block;
  return Object.fromEntries(
    keys.filter((key) => allowed.has(key) && block[key] !== undefined).map((key) => [key, block[key]]),
  );
}

export const replaceField = (block: Fields, key: string, value: unknown): Fields =>
  block[key] === value ? block : { ...block, [key]: value };

export const dropField = (block: Fields, key: string): Fields =>
  key in block ? Object.fromEntries(Object.entries(block).filter(([name]) => name !== key)) : block;

/** The block without what JSON parsers refuse. */
export function wellFormed(block: Fields, context: CleanContext): Fields {
  const cleaned = cleanJson(block);
  if (cleaned.changed) context.report("broken_json");
  return cleaned.value as Fields;
}

/** A block that lacks what its kind demands. */
export const malformed = (context: CleanContext): null => {
  context.report("malformed_block");
  return null;
};

const CALLERS = /^(?:direct|code_execution_\d{8})$/;

/** The block without a `caller` that the API would not know. */
export function cleanCaller(block: Fields): Fields {
  const { caller } = block;
  if (!isFields(caller) || !isText(caller["type"]) || !CALLERS.test(caller["type"]))
    return dropField(block, "caller");
  if (caller["type"] === "direct") return replaceField(block, "caller", keepFields(caller, fieldsOf()));
  return isFilled(caller["tool_id"])
    ? replaceField(block, "caller", keepFields(caller, fieldsOf("tool_id")))
    : dropField(block, "caller");
}
