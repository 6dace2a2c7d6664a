/**
 * The strings and numbers of a JSON value, in their order and as text; not the names of its fields. Any depth; a
 * value that holds itself is entered once on each object.
 */
export function jsonTexts(value: unknown): readonly string[] {
  const texts: string[] = [];
  const entered = new Set<object>();
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === "string") texts.push(next);
    else if (typeof next === "number") texts.push(String(next));
    else if (typeof next === "object" && next !== null && !entered.has(next)) {
      entered.add(next);
      const children: unknown[] = Object.values(next);
      for (let child = children.length - 1; child >= 0; child -= 1) waiting.push(children[child]);
    }
  }
  return texts;
}
