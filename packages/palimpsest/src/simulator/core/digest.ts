import { hash } from "node:crypto";

/** The simulator's own hash: it judges prompts that were laid out with another one. */
export const digest = (text: string): string => hash("sha256", text, "hex").slice(0, 32);

/** A JSON value without regard to the order of its keys. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const entries = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(",")}}`;
}
