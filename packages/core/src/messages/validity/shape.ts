import { isObject, type Check, type Cursor } from "./cursor.js";
import type { Condition } from "./problem.js";

/** Checks of shape, with the texts of the API's own validation. */

const NOT_AN_OBJECT = "Input should be a valid dictionary or object to extract fields from";
export const EXTRA_FIELD = "Extra inputs are not permitted";

/** `'a', 'b' or 'c'`. */
function alternatives(names: readonly string[]): string {
  const quoted = names.map((name) => `'${name}'`);
  const last = quoted.at(-1) ?? "";
  return quoted.length < 2 ? last : `${quoted.slice(0, -1).join(", ")} or ${last}`;
}

export const string: Check = (cursor) => {
  if (typeof cursor.value !== "string")
    cursor.refuse({ rule: "wrong-type", text: "Input should be a valid string" });
};

export const boolean: Check = (cursor) => {
  if (typeof cursor.value !== "boolean")
    cursor.refuse({ rule: "wrong-type", text: "Input should be a valid boolean" });
};

export const object: Check = (cursor) => {
  if (!isObject(cursor.value))
    cursor.refuse({ rule: "wrong-type", text: "Input should be a valid dictionary" });
};

export const anything: Check = () => {};

function characters(count: number): string {
  return count === 1 ? "1 character" : `${count} characters`;
}

/** A string of so many characters, and of this pattern. */
export function text(limits: {
  readonly min?: number;
  readonly max?: number;
  readonly pattern?: RegExp;
}): Check {
  const { min = 0, max = Infinity, pattern } = limits;
  return (cursor) => {
    const { value } = cursor;
    if (typeof value !== "string") string(cursor);
    else if (value.length < min) {
      cursor.refuse({ rule: "too-short", text: `String should have at least ${characters(min)}` });
    } else if (value.length > max) {
      cursor.refuse({ rule: "too-long", text: `String should have at most ${characters(max)}` });
    } else if (pattern !== undefined && !pattern.test(value)) {
      cursor.refuse({ rule: "pattern-mismatch", text: `String should match pattern '${pattern.source}'` });
    }
  };
}

/** A whole number of at least `min`. */
export function integer(min: number): Check {
  return (cursor) => {
    const { value } = cursor;
    if (typeof value !== "number" || !Number.isFinite(value)) {
      cursor.refuse({ rule: "wrong-type", text: "Input should be a valid integer" });
    } else if (!Number.isInteger(value)) {
      cursor.refuse({
        rule: "wrong-type",
        text: "Input should be a valid integer, got a number with a fractional part",
      });
    } else if (value < min) {
      cursor.refuse({ rule: "out-of-range", text: `Input should be greater than or equal to ${min}` });
    }
  };
}

/** A number between `min` and `max`. */
export function number(range: { readonly min: number; readonly max: number }): Check {
  return (cursor) => {
    const { value } = cursor;
    if (typeof value !== "number" || !Number.isFinite(value)) {
      cursor.refuse({ rule: "wrong-type", text: "Input should be a valid number" });
    } else if (value < range.min) {
      cursor.refuse({ rule: "out-of-range", text: `Input should be greater than or equal to ${range.min}` });
    } else if (value > range.max) {
      cursor.refuse({ rule: "out-of-range", text: `Input should be less than or equal to ${range.max}` });
    }
  };
}

export function literal(...names: readonly string[]): Check {
  return (cursor) => {
    if (typeof cursor.value !== "string" || !names.includes(cursor.value)) {
      cursor.refuse({ rule: "invalid-value", text: `Input should be ${alternatives(names)}` });
    }
  };
}

export function nullable(check: Check): Check {
  return (cursor) => {
    if (cursor.value !== null) check(cursor);
  };
}

export function listOf(check: Check, limits: { readonly min?: number } = {}): Check {
  const { min = 0 } = limits;
  return (cursor) => {
    const { value } = cursor;
    if (!Array.isArray(value)) {
      cursor.refuse({ rule: "wrong-type", text: "Input should be a valid list" });
      return;
    }
    if (value.length < min) {
      const items = min === 1 ? "1 item" : `${min} items`;
      cursor.refuse({
        rule: "too-short",
        text: `List should have at least ${items} after validation, not ${value.length}`,
      });
    }
    for (let index = 0; index < value.length; index += 1) check(cursor.at(index));
  };
}

/** A string, or what the other check accepts. */
export function stringOr(check: Check): Check {
  return (cursor) => {
    if (typeof cursor.value !== "string") check(cursor);
  };
}

export interface Field {
  readonly check: Check;
  readonly required?: boolean;
  /** Under which condition the field counts as unknown. */
  readonly extra?: Condition;
}

export const required = (check: Check): Field => ({ check, required: true });
export const optional = (check: Check): Field => ({ check });
export const optionalUnless = (extra: Condition, check: Check): Field => ({ check, extra });

export type Fields = Readonly<Record<string, Field>>;

/** An object of these fields and no others. A field whose value is undefined is absent, as in JSON. */
export function record(fields: Fields): Check {
  const entries = Object.entries(fields);
  const known = new Set(Object.keys(fields));
  return (cursor) => {
    if (!isObject(cursor.value)) {
      cursor.refuse({ rule: "not-an-object", text: NOT_AN_OBJECT });
      return;
    }
    for (const [name, field] of entries) checkField(cursor.at(name), field);
    refuseExtraFields(cursor, known);
  };
}

function checkField(member: Cursor, field: Field): void {
  if (member.value === undefined) {
    if (field.required === true) member.refuse({ rule: "field-required", text: "Field required" });
    return;
  }
  if (field.extra !== undefined) {
    member.refuse({ rule: "extra-field", text: EXTRA_FIELD, condition: field.extra });
  }
  field.check(member);
}

function refuseExtraFields(cursor: Cursor, known: ReadonlySet<string>): void {
  for (const [name, value] of Object.entries(cursor.value as object)) {
    if (value !== undefined && !known.has(name)) {
      cursor.at(name).refuse({ rule: "extra-field", text: EXTRA_FIELD });
    }
  }
}

function expectedTags(tags: Iterable<string>): string {
  return [...tags].map((tag) => `'${tag}'`).join(", ");
}

/** The text for a `type` that is none of the expected ones. */
export function unknownTag(tag: string, expected: Iterable<string>): string {
  return `Input tag '${tag}' found using 'type' does not match any of the expected tags: ${expectedTags(expected)}`;
}

/** An object whose `type` selects its check. */
export function union(members: ReadonlyMap<string, Check>): Check {
  return (cursor) => {
    const tag = readTag(cursor);
    if (tag === undefined) return;
    const check = members.get(tag);
    if (check === undefined) cursor.refuse({ rule: "unknown-type", text: unknownTag(tag, members.keys()) });
    else check(cursor.tagged(tag));
  };
}

/** The `type` of an object; refuses a value that has none. */
export function readTag(cursor: Cursor): string | undefined {
  if (!isObject(cursor.value)) {
    cursor.refuse({ rule: "not-an-object", text: NOT_AN_OBJECT });
    return undefined;
  }
  const tag = cursor.at("type");
  if (tag.value === undefined) tag.refuse({ rule: "field-required", text: "Field required" });
  else if (typeof tag.value !== "string") string(tag);
  else return tag.value;
  return undefined;
}

/** A member of a union: its fields beside `type`. */
export function variant(tag: string, fields: Fields): readonly [string, Check] {
  return [tag, record({ type: required(literal(tag)), ...fields })];
}
