import type { ToolInput } from "./tool.js";

/** Fields of an input. One of another type than the schema says counts as left out. */

export function textField(input: ToolInput, name: string): string | undefined {
  const value = input[name];
  return typeof value === "string" ? value : undefined;
}

/** A whole number, no smaller than `least`. */
export function countField(input: ToolInput, name: string, least = 0): number | undefined {
  const value = input[name];
  return typeof value === "number" && Number.isFinite(value) ? Math.max(least, Math.floor(value)) : undefined;
}

export const flagField = (input: ToolInput, name: string): boolean => input[name] === true;
