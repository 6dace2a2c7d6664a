import { cutText } from "./cut-text.js";
import { isFields } from "./fields.js";

type Fields = Readonly<Record<string, unknown>>;

/** Names of one and the same field in different agents' tools, in lower case and without `_` and `-`. */
const synonyms: readonly (readonly string[])[] = [
  ["command", "cmd", "commands", "script", "shellcommand", "bashcommand"],
  [
    "path",
    "filepath",
    "absolutepath",
    "file",
    "filename",
    "targetfile",
    "relativepath",
    "relativeworkspacepath",
    "directory",
    "dirpath",
    "dir",
    "folder",
    "targetdirectory",
    "notebookpath",
    "paths",
    "files",
    "filepaths",
  ],
  ["content", "contents", "filetext", "filecontent", "newcontent", "text"],
  ["oldstring", "oldstr", "oldtext", "old", "search"],
  ["newstring", "newstr", "newtext", "new", "replace", "replacement"],
  ["pattern", "query", "regex", "searchterm", "searchpattern", "searchquery", "globpattern", "q"],
  ["url", "urls", "uri"],
  ["prompt", "task", "instructions", "message", "question", "objective"],
  ["description", "explanation", "justification", "purpose"],
  ["offset", "startline"],
  ["limit", "maxlines"],
  ["todos", "todolist", "plan", "items"],
];

const plain = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, "");

const groupOf = (name: string): readonly string[] =>
  synonyms.find((group) => group.includes(plain(name))) ?? [];

export const hasFieldLike = (schema: Fields, name: string): boolean =>
  isFields(schema["properties"]) &&
  Object.keys(schema["properties"]).some((key) => groupOf(name).includes(plain(key)));

/** The value of a field, by its own name or by any name that means the same. */
export function fieldLike(values: Fields, name: string): unknown {
  if (values[name] !== undefined) return values[name];
  const group = groupOf(name);
  const key = Object.keys(values).find((key) => group.includes(plain(key)) && values[key] !== undefined);
  return key === undefined ? undefined : values[key];
}

export interface FillOptions {
  /** Picks from an enumeration, where the values do not say. */
  readonly prefer?: RegExp;
  /** Whether values that the schema does not name are passed on where it allows them. */
  readonly keepUnknown?: boolean;
}

/**
 * An input that fits a JSON schema: its fields filled from the values, by their own names or by names that mean
 * the same; required fields without a value get a harmless one. Never throws, whatever the schema is.
 */
export function fillSchema(schema: Fields, values: Fields, options: FillOptions = {}): Fields {
  return new Filler(schema, options).object(schema, values, 0);
}

/** The same for a schema that need not be one of an object, such as one that refers to another. */
export function fillValue(schema: Fields, values: Fields): unknown {
  return new Filler(schema, {}).value(values);
}

class Filler {
  readonly #root: Fields;
  readonly #options: FillOptions;

  constructor(root: Fields, options: FillOptions) {
    this.#root = root;
    this.#options = options;
  }

  value(values: Fields): unknown {
    const schema = this.#resolve(this.#root);
    return typeOf(schema) === "object"
      ? this.object(schema, values, 0)
      : this.#invent({ name: "", schema, values, depth: 0 });
  }

  object(schema: Fields, values: Fields, depth: number): Fields {
    const properties = isFields(schema["properties"]) ? schema["properties"] : {};
    const required = Array.isArray(schema["required"]) ? schema["required"] : [];
    const filled: Record<string, unknown> = {};
    for (const [name, declared] of Object.entries(properties)) {
      const property = this.#resolve(declared);
      const given = fieldLike(values, name);
      let value =
        given === undefined ? undefined : this.#coerce(given, { name, schema: property, values, depth });
      if (value === undefined && this.#isListOfObjects(property) && this.#suits(property, values)) {
        value = [this.object(this.#resolve(property["items"]), values, depth + 1)];
      }
      if (value === undefined && required.includes(name))
        value = this.#invent({ name, schema: property, values, depth });
      if (value !== undefined) define(filled, name, value);
    }
    const unknownAllowed =
      schema["additionalProperties"] !== false && this.#options.keepUnknown === true && depth === 0;
    if (unknownAllowed || Object.keys(properties).length === 0) {
      for (const [name, value] of Object.entries(values)) {
        if (!Object.hasOwn(properties, name) && schema["additionalProperties"] !== false)
          define(filled, name, value);
      }
    }
    return filled;
  }

  #coerce(value: unknown, field: Field): unknown {
    const { schema, name } = field;
    const allowed = enumeration(schema);
    if (allowed !== undefined) return allowed.includes(value) ? value : undefined;
    switch (typeOf(schema)) {
      case "string":
        return fitText(asText(value), schema);
      case "integer":
      case "number":
        return fitNumber(value, schema);
      case "boolean":
        return typeof value === "boolean"
          ? value
          : value === "true"
            ? true
            : value === "false"
              ? false
              : undefined;
      case "array":
        return this.#coerceList(value, field);
      case "object":
        return isFields(value) ? this.object(schema, value, field.depth + 1) : undefined;
      default:
        return name === "" ? undefined : value;
    }
  }

  #coerceList(value: unknown, { name, schema, values, depth }: Field): unknown {
    if (depth > 4) return undefined;
    const items = this.#resolve(schema["items"]);
    if (Array.isArray(value)) {
      return value.flatMap((item: unknown) => {
        const fitting = this.#coerce(item, { name, schema: items, values, depth: depth + 1 });
        return fitting === undefined ? [] : [fitting];
      });
    }
    if (typeOf(items) === "object") {
      const item = isFields(value) ? value : values;
      return [this.object(items, item, depth + 1)];
    }
    if (plain(name) === "command" && typeof value === "string") return ["bash", "-lc", value];
    const single = this.#coerce(value, { name, schema: items, values, depth: depth + 1 });
    return single === undefined ? undefined : [single];
  }

  #invent({ name, schema, values, depth }: Field): unknown {
    const allowed = enumeration(schema);
    if (allowed !== undefined) {
      const { prefer } = this.#options;
      return allowed.find((value) => typeof value === "string" && prefer?.test(value) === true) ?? allowed[0];
    }
    if (schema["default"] !== undefined) return schema["default"];
    if (isNullable(schema)) return null;
    switch (typeOf(schema)) {
      case "integer":
      case "number":
        return fitNumber(/timeout/i.test(name) ? 60_000 : 1, schema);
      case "boolean":
        return false;
      case "array": {
        const least = typeof schema["minItems"] === "number" ? schema["minItems"] : 0;
        if (least < 1 || depth > 4) return [];
        const item = this.#invent({ name, schema: this.#resolve(schema["items"]), values, depth: depth + 1 });
        return Array.from({ length: Math.min(least, 16) }, () => item);
      }
      case "object":
        return depth > 4 ? {} : this.object(schema, {}, depth + 1);
      default:
        return fitText(inventedText(name, values), schema);
    }
  }

  #isListOfObjects(schema: Fields): boolean {
    return typeOf(schema) === "array" && typeOf(this.#resolve(schema["items"])) === "object";
  }

  /** Whether the values say enough for one item of a list: a list of edits, of files. */
  #suits(schema: Fields, values: Fields): boolean {
    const items = this.#resolve(schema["items"]);
    const required = Array.isArray(items["required"]) ? items["required"] : [];
    return (
      required.length > 0 &&
      required.every((name) => typeof name === "string" && fieldLike(values, name) !== undefined)
    );
  }

  /** The schema that references and alternatives lead to: the first alternative that is not null. */
  #resolve(declared: unknown, depth = 0): Fields {
    if (!isFields(declared) || depth > 8) return {};
    const reference = declared["$ref"];
    if (typeof reference === "string") {
      let target: unknown = this.#root;
      for (const part of reference.replace(/^#\/?/, "").split("/")) {
        target = isFields(target) && Object.hasOwn(target, part) ? target[part] : undefined;
      }
      return this.#resolve(target, depth + 1);
    }
    for (const keyword of ["anyOf", "oneOf", "allOf"]) {
      const alternatives = declared[keyword];
      if (!Array.isArray(alternatives) || declared["type"] !== undefined) continue;
      const resolved = alternatives.map((alternative: unknown) => this.#resolve(alternative, depth + 1));
      const chosen = resolved.find((alternative) => typeOf(alternative) !== "null");
      if (chosen === undefined) continue;
      const nullable = resolved.some((alternative) => typeOf(alternative) === "null");
      return { ...chosen, ...(nullable ? { nullable: true } : {}) };
    }
    return declared;
  }
}

interface Field {
  readonly name: string;
  readonly schema: Fields;
  readonly values: Fields;
  readonly depth: number;
}

/** A plain own property, whatever the name is. */
function define(target: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}

function typeOf(schema: Fields): string | undefined {
  const { type } = schema;
  if (typeof type === "string") return type.toLowerCase();
  if (Array.isArray(type))
    return type.find((name): name is string => typeof name === "string" && name !== "null");
  if (isFields(schema["properties"])) return "object";
  return schema["items"] === undefined ? undefined : "array";
}

const isNullable = (schema: Fields): boolean =>
  schema["nullable"] === true ||
  typeOf(schema) === "null" ||
  (Array.isArray(schema["type"]) && schema["type"].includes("null"));

function enumeration(schema: Fields): readonly unknown[] | undefined {
  if (schema["const"] !== undefined) return [schema["const"]];
  const { enum: values } = schema;
  return Array.isArray(values) && values.length > 0 ? values : undefined;
}

function asText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value)) {
    if (value.length === 3 && /^-l?c$/.test(String(value[1])) && typeof value[2] === "string")
      return value[2];
    return value.every((item) => typeof item === "string") ? value.join(" ") : JSON.stringify(value);
  }
  return isFields(value) ? JSON.stringify(value) : undefined;
}

function fitText(text: string | undefined, schema: Fields): string | undefined {
  if (text === undefined) return undefined;
  const { maxLength, minLength } = schema;
  const padded = typeof minLength === "number" ? text.padEnd(Math.min(minLength, 10_000), ".") : text;
  return typeof maxLength === "number" ? cutText(padded, maxLength) : padded;
}

function fitNumber(value: unknown, schema: Fields): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof number !== "number" || !Number.isFinite(number)) return undefined;
  const least = typeof schema["minimum"] === "number" ? schema["minimum"] : -Infinity;
  const most = typeof schema["maximum"] === "number" ? schema["maximum"] : Infinity;
  const whole = typeOf(schema) === "integer" ? Math.trunc(number) : number;
  return Math.min(most, Math.max(least, whole));
}

function inventedText(name: string, values: Fields): string {
  const group = groupOf(name)[0];
  if (group === "path") return ".";
  if (group === "command") return "true";
  if (group === "url") return "https://example.com/";
  if (group === "description" || group === "prompt") {
    const about = asText(
      fieldLike(values, "command") ?? fieldLike(values, "path") ?? fieldLike(values, "pattern"),
    );
    return about === undefined || about === ""
      ? "Simulated step"
      : cutText(about.replaceAll(/\s+/g, " "), 60);
  }
  return group === "content" || group === "oldstring" || group === "newstring" ? "" : "simulated";
}
