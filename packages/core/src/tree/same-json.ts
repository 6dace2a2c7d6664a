import { isFields, type Fields } from "../messages/fields.js";

/**
 * Whether two values are the same JSON: the order of keys counts, keys whose value is undefined do not. The same object is
 * equal without being looked into. Depth is no limit.
 */
export function sameJson(first: unknown, second: unknown): boolean {
  if (first === second) return true;
  /** Pairs that are still to be compared, one value after the other. */
  const open: unknown[] = [first, second];
  while (open.length > 0) {
    const b = open.pop();
    if (!compareOne(open.pop(), b, open)) return false;
  }
  return true;
}

function compareOne(a: unknown, b: unknown, open: unknown[]): boolean {
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let index = 0; index < a.length; index += 1) {
      if (a[index] !== b[index]) open.push(a[index], b[index]);
    }
    return true;
  }
  if (!isFields(a) || !isFields(b)) return false;
  const keys = definedKeys(a);
  const others = definedKeys(b);
  if (keys.length !== others.length) return false;
  for (const [index, key] of keys.entries()) {
    if (key !== others[index]) return false;
    if (a[key] !== b[key]) open.push(a[key], b[key]);
  }
  return true;
}

const definedKeys = (value: Fields): readonly string[] => {
  const keys = Object.keys(value);
  return keys.some((key) => value[key] === undefined) ? keys.filter((key) => value[key] !== undefined) : keys;
};
