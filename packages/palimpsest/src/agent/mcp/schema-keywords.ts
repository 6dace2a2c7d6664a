import { isFields } from "../base/fields.js";
import { isPlain, plainText } from "../base/plain-text.js";

/** What a keyword of a JSON schema becomes; undefined where its value is none that the keyword may have. */
export type KeywordRule = (value: unknown, clean: (schema: unknown) => unknown) => unknown;

const TYPES: ReadonlySet<unknown> = new Set([
  "string",
  "number",
  "integer",
  "boolean",
  "object",
  "array",
  "null",
]);

const type: KeywordRule = (value) => {
  if (!Array.isArray(value)) return TYPES.has(value) ? value : undefined;
  const known = [...new Set(value.filter((item: unknown) => TYPES.has(item)))];
  return known.length === 0 ? undefined : known;
};

const schema: KeywordRule = (value, clean) =>
  isFields(value) || typeof value === "boolean" ? clean(value) : undefined;

const schemas: KeywordRule = (value, clean) => {
  if (!Array.isArray(value)) return undefined;
  const list = value.map((item: unknown) => schema(item, clean)).filter((item) => item !== undefined);
  return list.length === 0 ? undefined : list;
};

/** Names with control characters are nobody's to type. */
const named =
  (rule: KeywordRule): KeywordRule =>
  (value, clean) => {
    if (!isFields(value)) return undefined;
    const entries = Object.entries(value).flatMap(([name, item]) => {
      const cleaned = isPlain(name) ? rule(item, clean) : undefined;
      return cleaned === undefined ? [] : [[name, cleaned] as const];
    });
    return Object.fromEntries(entries);
  };

const words: KeywordRule = (value) =>
  Array.isArray(value)
    ? [...new Set(value.filter((item: unknown) => typeof item === "string" && isPlain(item)))]
    : undefined;

const text: KeywordRule = (value) => (typeof value === "string" ? plainText(value) : undefined);

const flag: KeywordRule = (value) => (typeof value === "boolean" ? value : undefined);

const number: KeywordRule = (value) => (Number.isFinite(value) ? value : undefined);

const count: KeywordRule = (value) => (Number.isInteger(value) && Number(value) >= 0 ? value : undefined);

const factor: KeywordRule = (value) => (Number.isFinite(value) && Number(value) > 0 ? value : undefined);

const DEEPEST_VALUE = 24;

/** A JSON value without control characters, and not nested without end. */
const isPlainValue = (value: unknown, depth = 0): boolean => {
  if (typeof value === "string") return isPlain(value);
  if (typeof value !== "object" || value === null) return true;
  if (depth > DEEPEST_VALUE) return false;
  return Object.entries(value).every(([name, item]) => isPlain(name) && isPlainValue(item, depth + 1));
};

const anything: KeywordRule = (value) => (value !== undefined && isPlainValue(value) ? value : undefined);

const choices: KeywordRule = (value) => {
  const list = Array.isArray(value) ? value.filter((item) => isPlainValue(item)) : [];
  return list.length === 0 ? undefined : list;
};

const LONGEST_PATTERN = 500;

const pattern: KeywordRule = (value) => {
  if (typeof value !== "string" || value.length > LONGEST_PATTERN || !isPlain(value)) return undefined;
  try {
    return new RegExp(value, "u") instanceof RegExp ? value : undefined;
  } catch {
    return undefined;
  }
};

/** The keywords of JSON Schema 2020-12 that say something about an input. Others are left out. */
export const keywordRules: ReadonlyMap<string, KeywordRule> = new Map([
  ["type", type],
  ["title", text],
  ["description", text],
  ["format", text],
  ["properties", named(schema)],
  ["patternProperties", named(schema)],
  ["dependentSchemas", named(schema)],
  ["dependentRequired", named(words)],
  ["$defs", named(schema)],
  ["definitions", named(schema)],
  ["required", words],
  ["additionalProperties", schema],
  ["unevaluatedProperties", schema],
  ["propertyNames", schema],
  ["minProperties", count],
  ["maxProperties", count],
  ["items", schema],
  ["prefixItems", schemas],
  ["contains", schema],
  ["minContains", count],
  ["maxContains", count],
  ["minItems", count],
  ["maxItems", count],
  ["uniqueItems", flag],
  ["anyOf", schemas],
  ["oneOf", schemas],
  ["allOf", schemas],
  ["not", schema],
  ["if", schema],
  ["then", schema],
  ["else", schema],
  ["enum", choices],
  ["const", anything],
  ["default", anything],
  ["examples", choices],
  ["minimum", number],
  ["maximum", number],
  ["exclusiveMinimum", number],
  ["exclusiveMaximum", number],
  ["multipleOf", factor],
  ["minLength", count],
  ["maxLength", count],
  ["pattern", pattern],
  ["deprecated", flag],
  ["readOnly", flag],
  ["writeOnly", flag],
]);
