import { isFields } from "../../messages/fields.js";

/** Lines of a file, counted from 1, both ends included. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

/**
 * The lines that a call asks for: between a first one and a last, or so many from the first on. Undefined where one
 * of them is not said.
 */
export function rangeAskedFor(input: unknown): LineRange | undefined {
  if (!isFields(input)) return undefined;
  const range: readonly unknown[] = Array.isArray(input["view_range"]) ? input["view_range"] : [];
  const [start = 1, end = 0, limit = 0] = [
    input["offset"] ?? input["start_line"] ?? input["startLine"] ?? input["line_start"] ?? range[0] ?? 1,
    input["end_line"] ?? input["endLine"] ?? input["line_end"] ?? range[1],
    input["limit"],
  ].map((value) => (typeof value === "number" || typeof value === "string" ? Number(value) : Number.NaN));
  const first = Math.max(1, start);
  const last = Number.isInteger(end) ? end : first + limit - 1;
  return Number.isInteger(first) && Number.isInteger(last) && last >= first ? { first, last } : undefined;
}
