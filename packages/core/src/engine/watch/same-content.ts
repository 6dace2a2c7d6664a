import { isFields } from "../../messages/fields.js";

/** Fields that say where the cache is written and what edits refer to: no part of what is cached. */
const MARKER_FIELDS: ReadonlySet<string> = new Set(["cache_control", "cache_reference"]);

interface Pair {
  readonly a: unknown;
  readonly b: unknown;
  /** A block, a tool or a message: its own marker does not count, nor those of the blocks in its content. */
  readonly isMarkable: boolean;
}

/**
 * Whether two JSON values are the same bytes for a cache: key order counts, keys whose value is undefined do
 * not. The same object is equal without being looked into. Depth is no limit.
 */
export const sameValue = (a: unknown, b: unknown): boolean => same({ a, b, isMarkable: false });

/** The same for tools, blocks and messages: markers and references do not count, wherever they may stand. */
export const sameContent = (a: unknown, b: unknown): boolean => same({ a, b, isMarkable: true });

function same(first: Pair): boolean {
  const open: Pair[] = [first];
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    if (pair.a !== pair.b && !compareOne(pair, open)) return false;
  }
  return true;
}

/** Whether two values that are not the same object can be equal; what they hold is left to be compared. */
function compareOne({ a, b, isMarkable }: Pair, open: Pair[]): boolean {
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (const [index, item] of a.entries()) {
      if (item !== b[index]) open.push({ a: item, b: b[index], isMarkable });
    }
    return true;
  }
  if (!isFields(a) || !isFields(b)) return Number.isNaN(a) && Number.isNaN(b);
  const keys = countedKeys(a, isMarkable);
  const others = countedKeys(b, isMarkable);
  if (keys.length !== others.length) return false;
  for (const [index, key] of keys.entries()) {
    if (key !== others[index]) return false;
    // Only what is content can hold blocks: the input of a call is the model's own.
    if (a[key] !== b[key]) open.push({ a: a[key], b: b[key], isMarkable: isMarkable && key === "content" });
  }
  return true;
}

const countedKeys = (value: Readonly<Record<string, unknown>>, isMarkable: boolean): readonly string[] =>
  Object.keys(value).filter((key) => value[key] !== undefined && !(isMarkable && MARKER_FIELDS.has(key)));

/** The same value without its markers, for people to read. */
export function withoutMarkers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMarkers);
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !MARKER_FIELDS.has(key))
      .map(([key, item]) => [key, key === "content" ? withoutMarkers(item) : item]),
  );
}
