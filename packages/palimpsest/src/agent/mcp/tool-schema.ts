import { isFields, type Fields } from "../base/fields.js";
import { keywordRules } from "./schema-keywords.js";

/** A schema that a provider takes. */
export interface ToolSchema {
  readonly schema: Fields;
  /** It says less than the server's own: that one was too large. */
  readonly isReduced: boolean;
}

/** How many characters of JSON a tool's schema may have. */
const LARGEST_SCHEMA = 20_000;
const DEEPEST = 24;
const MOST_NODES = 5_000;

/** What people read in a schema and what a model can do without. */
const ORNAMENTS: ReadonlySet<string> = new Set(["title", "description", "examples", "default"]);

/** Property names that the Messages API takes at the top of a schema. */
const PROPERTY_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;

/**
 * The input schema of a server's tool in a form that the Messages API takes, whatever the server sent: an object
 * with named properties, no alternatives at the top, only keywords of JSON Schema with values that they may have.
 * One bad schema would otherwise make every request fail.
 */
export function acceptableSchema(given: unknown): ToolSchema {
  const whole = atTop(cleaned(given, new Set()));
  if (sizeOf(whole) <= LARGEST_SCHEMA) return { schema: whole, isReduced: false };
  const bare = atTop(cleaned(given, ORNAMENTS));
  if (sizeOf(bare) <= LARGEST_SCHEMA) return { schema: bare, isReduced: true };
  return { schema: { type: "object" }, isReduced: true };
}

const sizeOf = (schema: Fields): number => JSON.stringify(schema).length;

function cleaned(given: unknown, without: ReadonlySet<string>): Fields {
  const root = isFields(given) ? given : {};
  let nodes = 0;
  const clean = (schema: unknown, depth: number): unknown => {
    nodes += 1;
    if (typeof schema === "boolean") return schema;
    if (!isFields(schema) || depth > DEEPEST || nodes > MOST_NODES) return {};
    const kept: [string, unknown][] = [];
    for (const [keyword, value] of Object.entries(inToday(schema))) {
      const rule = without.has(keyword) ? undefined : keywordRules.get(keyword);
      const cleaned =
        keyword === "$ref" ? localReference(value, root) : rule?.(value, (inner) => clean(inner, depth + 1));
      if (cleaned !== undefined) kept.push([keyword, cleaned]);
    }
    return Object.fromEntries(kept);
  };
  return clean(root, 0) as Fields;
}

/** Older drafts had lists under `items`. */
const inToday = (schema: Fields): Fields => {
  if (!Array.isArray(schema["items"])) return schema;
  const { items, ...rest } = schema;
  return { prefixItems: items, ...rest };
};

/** A reference to a definition of the same schema: others point at nothing that the provider has. */
const localReference = (reference: unknown, root: Fields): unknown =>
  typeof reference === "string" && isFields(definitionOf(reference, root)) ? reference : undefined;

function definitionOf(reference: string, root: Fields): unknown {
  const [, group = "", name = ""] = /^#\/(\$defs|definitions)\/([^/~%]+)$/.exec(reference) ?? [];
  const definitions = root[group];
  return isFields(definitions) && Object.hasOwn(definitions, name) ? definitions[name] : undefined;
}

/** What is said by reference or by alternatives is said by the properties themselves. */
function atTop(root: Fields): Fields {
  const { $ref, anyOf, oneOf, allOf, not: _not, if: _if, then: _then, else: _else, ...rest } = root;
  const parts = [typeof $ref === "string" ? [definitionOf($ref, root)] : [], asList(allOf)].flat();
  const alternatives = [asList(anyOf), asList(oneOf)].flat().filter(isFields);
  const all = [rest, ...parts.filter(isFields)];
  const properties = Object.fromEntries(
    [...alternatives, ...all.toReversed()]
      .flatMap((part) => Object.entries(isFields(part["properties"]) ? part["properties"] : {}))
      .filter(([name]) => PROPERTY_NAME.test(name)),
  );
  const always = new Set(all.flatMap((part) => wordsOf(part["required"])));
  const [first, ...others] = alternatives.map((part) => wordsOf(part["required"]));
  for (const name of first ?? []) if (others.every((list) => list.includes(name))) always.add(name);
  const required = [...always].filter((name) => Object.hasOwn(properties, name));
  const {
    type: _type,
    properties: _properties,
    required: _required,
    enum: _enum,
    const: _const,
    ...more
  } = rest;
  return { type: "object", properties, ...(required.length === 0 ? {} : { required }), ...more };
}

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const wordsOf = (value: unknown): readonly string[] =>
  asList(value).filter((item): item is string => typeof item === "string");
