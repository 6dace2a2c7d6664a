import { isObject, type Check } from "./cursor.js";
import { literal, nullable, optional, union, variant, type Field } from "./shape.js";

const shape = union(new Map([variant("ephemeral", { ttl: optional(literal("5m", "1h")) })]));

/** The TTL of a well-formed marker; undefined where there is none. */
export function markerTtl(value: unknown): "5m" | "1h" | undefined {
  if (!isObject(value) || value["type"] !== "ephemeral") return undefined;
  return value["ttl"] === "1h" ? "1h" : "5m";
}

export const cacheControlShape: Check = nullable(shape);

/** A `cache_control` field: its shape, and a note of the marker. */
export const cacheControl: Field = optional((cursor) => {
  cacheControlShape(cursor);
  const ttl = markerTtl(cursor.value);
  if (ttl !== undefined) cursor.notes.markers.push({ path: cursor.path, ttl });
});
