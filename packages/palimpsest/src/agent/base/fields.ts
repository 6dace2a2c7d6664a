/** A JSON object of which nothing is known yet. */
export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Nothing was given: a field that is null says as little as one that is not there. */
export const isAbsent = (value: unknown): value is undefined | null => value === undefined || value === null;
