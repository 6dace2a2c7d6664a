export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const asText = (value: unknown): string => (typeof value === "string" ? value : "");

export const asNumber = (value: unknown, otherwise: number): number =>
  typeof value === "number" && Number.isFinite(value) ? value : otherwise;

/** The `value` of a `{type, value}` setting. */
export const amountOf = (setting: unknown, otherwise: number): number =>
  isFields(setting) ? asNumber(setting["value"], otherwise) : otherwise;
