import { isFields } from "../base/fields.js";

/** The part of JSON Schema that tools of this program use. */
interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
}

const MOST_PROBLEMS = 5;

/** What is wrong with an input, a sentence for the model; undefined where it fits. What a schema says beyond that is left to the tool. */
export function checkInput(input: unknown, schema: unknown): string | undefined {
  const problems: string[] = [];
  check(input, isFields(schema) ? schema : {}, { path: "", problems });
  if (problems.length === 0) return undefined;
  return `The input does not fit the tool: ${problems.slice(0, MOST_PROBLEMS).join("; ")}. Call it again with an input that does.`;
}

interface Place {
  readonly path: string;
  readonly problems: string[];
}

function check(value: unknown, schema: Schema, place: Place): void {
  const name = place.path === "" ? "the input" : place.path;
  const { type } = schema;
  if (type !== undefined && !hasType(value, type)) {
    place.problems.push(`${name} must be ${article(type)}`);
    return;
  }
  if (schema.enum !== undefined && !schema.enum.includes(value)) {
    place.problems.push(
      `${name} must be one of ${schema.enum.map((word) => JSON.stringify(word)).join(", ")}`,
    );
  }
  if (typeof value === "number") checkRange(value, schema, name, place.problems);
  if (typeof value === "string" && value.length < (schema.minLength ?? 0)) {
    place.problems.push(`${name} must not be empty`);
  }
  if (Array.isArray(value)) checkItems(value, schema, place, name);
  else if (isFields(value)) checkFields(value, schema, place);
}

function checkRange(value: number, { minimum, maximum }: Schema, name: string, problems: string[]): void {
  if (minimum !== undefined && value < minimum) problems.push(`${name} must be ${minimum} or more`);
  if (maximum !== undefined && value > maximum) problems.push(`${name} must be ${maximum} or less`);
}

function checkItems(
  value: readonly unknown[],
  { items, minItems, maxItems }: Schema,
  place: Place,
  name: string,
): void {
  if (minItems !== undefined && value.length < minItems)
    place.problems.push(`${name} needs ${minItems} or more`);
  if (maxItems !== undefined && value.length > maxItems)
    place.problems.push(`${name} takes ${maxItems} at most`);
  if (items === undefined) return;
  for (const [index, item] of value.entries()) {
    if (place.problems.length >= MOST_PROBLEMS) return;
    check(item, items, { ...place, path: `${place.path}[${index}]` });
  }
}

function checkFields(value: Readonly<Record<string, unknown>>, schema: Schema, place: Place): void {
  const { properties = {}, required = [], additionalProperties } = schema;
  const path = (key: string): string => (place.path === "" ? key : `${place.path}.${key}`);
  for (const key of required)
    if (!Object.hasOwn(value, key) || value[key] === undefined)
      place.problems.push(`${path(key)} is missing`);
  for (const [key, field] of Object.entries(value)) {
    const known = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (known !== undefined && field !== undefined) check(field, known, { ...place, path: path(key) });
    else if (known === undefined && additionalProperties === false) {
      place.problems.push(`there is no field ${JSON.stringify(path(key).slice(0, 60))}`);
    }
  }
}

function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case "object":
      return isFields(value);
    case "array":
      return Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    case "null":
      return value === null;
    default:
      return typeof value === type;
  }
}

const article = (type: string): string => (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`);
