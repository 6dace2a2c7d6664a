import { isDeepStrictEqual } from "node:util";

const LONGEST = 400;

/** Throws where something that has to hold does not. */
export function ensure(holds: boolean, otherwise: string | (() => string)): asserts holds {
  if (!holds) throw new Error(typeof otherwise === "string" ? otherwise : otherwise());
}

/** Throws where two values differ, and says from where on. */
export function ensureSame(actual: unknown, expected: unknown, what: string): void {
  if (isDeepStrictEqual(actual, expected)) return;
  const [is, should] = [asText(actual), asText(expected)];
  let same = 0;
  while (same < is.length && is[same] === should[same]) same += 1;
  const from = Math.max(0, same - 40);
  const part = (text: string): string =>
    `${from > 0 ? "…" : ""}${text.slice(from, from + LONGEST)}${text.length > from + LONGEST ? "…" : ""}`;
  throw new Error(`${what}: ${part(is)} instead of ${part(should)}`);
}

const asText = (value: unknown): string => JSON.stringify(value) ?? String(value);
