import { isFields } from "../messages/fields.js";

/**
 * Whether two values are the same JSON: the order of keys counts, keys whose value is undefined do not. The same object is
 * equal without being looked into. Depth is no limit.
 */
export function sameJson(first: unknown, second: unknown): boolean {
  const open: [unknown, unknown][] = [[first, second]];
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const [a, b] = pair;
    if (a !== b && !compareOne(a, b, open)) return false;
  }
  return true;
}

function compareOne(a: unknown, b: unknown, open: [unknown, unknown][]): boolean {
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (const [index, item] of a.entries()) if (item !== b[index]) open.push([item, b[index]]);
    return true;
  }
  if (!isFields(a) || !isFields(b)) return false;
  const keys = Object.keys(a).filter((key) => a[key] !== undefined);
  const others = Object.keys(b).filter((key) => b[key] !== undefined);
  if (keys.length !== others.length) return false;
  for (const [index, key] of keys.entries()) {
    if (key !== others[index]) return false;
    if (a[key] !== b[key]) open.push([a[key], b[key]]);
  }
  return true;
}
