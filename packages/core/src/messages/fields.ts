/** A JSON object of which nothing is known yet. */
export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The text, or none where it is something else. */
export const asText = (value: unknown): string => (typeof value === "string" ? value : "");
