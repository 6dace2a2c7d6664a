/** Deeper than any sensible tool input, shallow enough for every recursive reader of it. */
const MAX_DEPTH = 100;

export interface CleanJson {
  readonly value: unknown;
  readonly changed: boolean;
}

/**
 * A JSON value that any parser accepts: halves of surrogate pairs replaced, what JSON cannot hold removed,
 * nesting cut where it is deeper than `MAX_DEPTH`. Returns the same reference where nothing is wrong.
 */
export function cleanJson(value: unknown, depth = 0): CleanJson {
  if (typeof value === "string") {
    return value.isWellFormed() ? { value, changed: false } : { value: value.toWellFormed(), changed: true };
  }
  if (value === null || typeof value === "boolean") return { value, changed: false };
  if (typeof value === "number") {
    return Number.isFinite(value) ? { value, changed: false } : { value: null, changed: true };
  }
  if (typeof value !== "object") return { value: null, changed: true };
  if (depth >= MAX_DEPTH) return { value: "[nested too deeply]", changed: true };
  return Array.isArray(value) ? cleanArray(value, depth) : cleanObject(value, depth);
}

function cleanArray(list: readonly unknown[], depth: number): CleanJson {
  let copy: unknown[] | undefined;
  for (const [index, item] of list.entries()) {
    const cleaned = cleanJson(item, depth + 1);
    if (cleaned.changed) (copy ??= [...list])[index] = cleaned.value;
  }
  return { value: copy ?? list, changed: copy !== undefined };
}

function cleanObject(object: object, depth: number): CleanJson {
  const entries = Object.entries(object);
  let changed = false;
  const cleanEntries: [string, unknown][] = [];
  for (const [key, item] of entries) {
    if (item === undefined) {
      changed = true;
      continue;
    }
    const cleaned = cleanJson(item, depth + 1);
    changed ||= cleaned.changed || !key.isWellFormed();
    cleanEntries.push([key.toWellFormed(), cleaned.value]);
  }
  return changed ? { value: Object.fromEntries(cleanEntries), changed } : { value: object, changed };
}
