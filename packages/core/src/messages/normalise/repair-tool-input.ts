import { isFields, type Fields } from "../fields.js";

/** The part of JSON Schema that repairing looks at; everything else in it is left to whoever runs the tool. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly [keyword: string]: unknown;
}

/**
 * A tool input that is an object and, where the schema is known, fits it as far as that needs no guess:
 * values that models often write as strings get their type back, properties that the schema forbids go.
 * The same reference comes back where nothing had to change; repairing twice changes nothing more.
 */
export function repairToolInput(input: unknown, schema?: JsonSchema): Fields {
  const object = isFields(input) ? input : (parsedObject(input) ?? {});
  return schema === undefined ? object : fitObject(object, schema);
}

function parsedObject(input: unknown): Fields | undefined {
  const parsed = typeof input === "string" ? parse(input) : undefined;
  return isFields(parsed) ? parsed : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const allows = (schema: JsonSchema, type: string): boolean =>
  typeof schema.type === "string" ? schema.type === type : (schema.type?.includes(type) ?? false);

function fit(value: unknown, schema: JsonSchema): unknown {
  if (!isFields(schema)) return value;
  if (typeof value === "string" && schema.type !== undefined && !allows(schema, "string")) {
    const retyped = retype(value, schema);
    return retyped === undefined ? value : fit(retyped, schema);
  }
  if (Array.isArray(value)) return isFields(schema.items) ? fitArray(value, schema.items) : value;
  return isFields(value) ? fitObject(value, schema) : value;
}

/** A string where the schema wants something else: parsed, if what comes out is of the wanted type. */
function retype(text: string, schema: JsonSchema): unknown {
  const parsed = parse(text);
  if (typeof parsed === "number") {
    const fits = allows(schema, "number") || (allows(schema, "integer") && Number.isInteger(parsed));
    return fits ? parsed : undefined;
  }
  if (typeof parsed === "boolean") return allows(schema, "boolean") ? parsed : undefined;
  if (Array.isArray(parsed)) return allows(schema, "array") ? parsed : undefined;
  return isFields(parsed) && allows(schema, "object") ? parsed : undefined;
}

function fitArray(list: readonly unknown[], items: JsonSchema): readonly unknown[] {
  const fitted = list.map((item) => fit(item, items));
  return fitted.every((item, index) => item === list[index]) ? list : fitted;
}

function fitObject(object: Fields, schema: JsonSchema): Fields {
  const { properties } = schema;
  if (!isFields(properties)) return object;
  let changed = false;
  const entries: [string, unknown][] = [];
  for (const [key, value] of Object.entries(object)) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (property === undefined) {
      if (schema.additionalProperties === false) changed = true;
      else entries.push([key, value]);
      continue;
    }
    const fitted = fit(value, property);
    changed ||= fitted !== value;
    entries.push([key, fitted]);
  }
  return changed ? Object.fromEntries(entries) : object;
}
