import { isFields, type Fields } from "../base/fields.js";

const MAX_DEPTH = 32;
/** Fields whose text says nothing to a reader. */
const OPAQUE_FIELDS = new Set(["encrypted_content", "encrypted_index", "signature", "cache_control"]);
const OPAQUE_TYPES = new Set(["image", "base64", "redacted_thinking", "thinking"]);

/** A JSON value as text to be read and searched: a line `name: value` for each field, pictures left out. */
export function valueText(value: unknown): string {
  const lines: string[] = [];
  addLines(value, { name: "", depth: 0, lines });
  return lines.join("\n");
}

interface Place {
  readonly name: string;
  readonly depth: number;
  readonly lines: string[];
}

function addLines(value: unknown, place: Place): void {
  const { name, depth, lines } = place;
  if (isFields(value) || Array.isArray(value)) {
    if (isFields(value) && isOpaque(value)) return;
    if (depth >= MAX_DEPTH) return;
    for (const [field, inner] of Object.entries(value)) {
      if (isFields(value) && OPAQUE_FIELDS.has(field)) continue;
      const path = Array.isArray(value) ? name : name === "" ? field : `${name}.${field}`;
      addLines(inner, { name: path, depth: depth + 1, lines });
    }
    return;
  }
  if (value === null || value === undefined) return;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  lines.push(name === "" ? text : `${name}: ${text}`);
}

const isOpaque = (value: Fields): boolean =>
  typeof value["type"] === "string" && OPAQUE_TYPES.has(value["type"]);
