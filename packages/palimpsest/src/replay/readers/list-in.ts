import type { Fields } from "./recording.js";

/** One document that holds the list, or a message a line. */
export function listIn(values: readonly Fields[]): readonly unknown[] {
  const listed: unknown = values.length === 1 ? values[0]?.["messages"] : undefined;
  return Array.isArray(listed) ? listed : values;
}
