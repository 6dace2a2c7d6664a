/** A JSON object of which nothing is known yet. */
export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The object, or an empty one where it is something else: a call's input comes from a model. */
export const asFields = (value: unknown): Fields => (isFields(value) ? value : {});

/** The text, or none where it is something else. */
export const asText = (value: unknown): string => (typeof value === "string" ? value : "");

/** Whether a JSON value is nested deeper than any that is meant: what goes through it level by level would fall over. */
export function isTooDeep(value: unknown, levels = 200): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  for (const key in value) if (isTooDeep((value as Fields)[key], levels - 1)) return true;
  return false;
}

/** The blocks in the content of a message, which may be anything. */
export const blocksIn = (content: unknown): readonly Fields[] =>
  Array.isArray(content) ? content.filter(isFields) : [];

/** The texts in the content of a message or a result, which may be anything. */
export const contentText = (content: unknown): string =>
  Array.isArray(content)
    ? content.map((item: unknown) => (isFields(item) ? asText(item["text"]) : "")).join("\n")
    : asText(content);
