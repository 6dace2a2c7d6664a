import { isFields, type Fields } from "./fields.js";

/** How deep schemas are followed: references may lead in circles. */
const DEEPEST = 32;

/** Whether a value is of the kind that a JSON schema describes, as far as structured output knows its keywords. */
export function fitsSchema(value: unknown, schema: Fields): boolean {
  return fits(value, schema, { root: schema, depth: 0 });
}

interface Place {
  readonly root: Fields;
  readonly depth: number;
}

function fits(value: unknown, declared: unknown, place: Place): boolean {
  if (declared === true || declared === undefined) return true;
  if (!isFields(declared) || place.depth > DEEPEST) return false;
  const deeper = { ...place, depth: place.depth + 1 };
  const { $ref, const: only, enum: allowed, anyOf, oneOf, allOf } = declared;
  if (typeof $ref === "string") return fits(value, target($ref, place.root), deeper);
  if (only !== undefined && value !== only) return false;
  if (Array.isArray(allowed) && !allowed.includes(value)) return false;
  const isOneOf = (list: unknown): boolean =>
    !Array.isArray(list) || list.some((alternative) => fits(value, alternative, deeper));
  if (!isOneOf(anyOf) || !isOneOf(oneOf)) return false;
  if (Array.isArray(allOf) && !allOf.every((part) => fits(value, part, deeper))) return false;
  return isOfType(value, declared["type"]) && fitsParts(value, declared, deeper);
}

function fitsParts(value: unknown, schema: Fields, place: Place): boolean {
  if (Array.isArray(value)) return value.every((item) => fits(item, schema["items"], place));
  if (!isFields(value)) return true;
  const properties = isFields(schema["properties"]) ? schema["properties"] : {};
  const required: readonly unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
  return (
    required.every((name) => typeof name === "string" && Object.hasOwn(value, name)) &&
    Object.entries(value).every(([name, field]) =>
      Object.hasOwn(properties, name)
        ? fits(field, properties[name], place)
        : fits(field, schema["additionalProperties"], place),
    )
  );
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === undefined) return true;
  if (Array.isArray(type)) return type.some((one) => isOfType(value, one));
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isFields(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function target(reference: string, root: Fields): unknown {
  let at: unknown = root;
  for (const part of reference.replace(/^#\/?/, "").split("/")) {
    if (part !== "") at = isFields(at) && Object.hasOwn(at, part) ? at[part] : false;
  }
  return at;
}
