/** How much of a value the index keeps: the beginnings of its texts and of its lists, and not all of its depth. */
export interface Shortening {
  readonly characters: number;
  readonly items: number;
  readonly depth: number;
}

/** A copy of a value from a file that is small whatever the value is. Names stay what they are, `__proto__` too. */
export function shortened(value: unknown, limits: Shortening): unknown {
  if (typeof value === "string") return beginningOf(value, limits.characters);
  if (typeof value !== "object" || value === null) return value;
  if (limits.depth === 0) return Array.isArray(value) ? [] : {};
  const inner = { ...limits, depth: limits.depth - 1 };
  if (Array.isArray(value)) return value.slice(0, limits.items).map((item) => shortened(item, inner));
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, limits.items)
      .map(([name, item]) => [beginningOf(name, limits.characters), shortened(item, inner)]),
  );
}

/** The first characters of a text as a string of its own: a slice would keep all of the line that it was read from. */
export const beginningOf = (text: string, characters: number): string =>
  text.length <= characters ? text : Buffer.from(text.slice(0, characters), "utf8").toString("utf8");

/** The first characters of a text for people: what was cut off is marked. */
export const previewOf = (text: string, characters: number): string =>
  text.length <= characters ? text : `${beginningOf(text, characters - 1).trimEnd()}…`;
