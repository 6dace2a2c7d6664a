import { isFields } from "../messages/fields.js";
import { isPalimpsestError } from "../messages/palimpsest-error.js";
import { badOption, checkedSettings } from "../engine/conversation/check-options.js";
import type { GivenSettings } from "../engine/settings/settings.js";
import type { AdapterOptions } from "./adapter-options.js";

/** What a value must be, where it is not that. */
type Check = (value: unknown) => string | undefined;

const hasFunctions =
  (...names: readonly string[]): Check =>
  (value) =>
    (isFields(value) || typeof value === "function") &&
    names.every((name) => typeof (value as Readonly<Record<string, unknown>>)[name] === "function")
      ? undefined
      : `an object with ${names.map((name) => `\`${name}()\``).join(" and ")}`;

const isFunction: Check = (value) => (typeof value === "function" ? undefined : "a function");

const wholeFrom =
  (least: number): Check =>
  (value) =>
    typeof value === "number" && Number.isInteger(value) && value >= least
      ? undefined
      : `a whole number, ${least} or more`;

const amount: Check = (value) =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? undefined : "a number, 0 or more";

/** An object that has these fields and no others, each of them as it must be. */
const fieldsOf =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value) => {
    if (!isFields(value)) return `an object with ${Object.keys(fields).join(", ")}`;
    const unknown = Object.keys(value).find((name) => !Object.hasOwn(fields, name));
    if (unknown !== undefined)
      return `an object with ${Object.keys(fields).join(", ")}; it has ${JSON.stringify(unknown)}`;
    for (const [name, check] of Object.entries(fields)) {
      const wanted = value[name] === undefined ? undefined : check(value[name]);
      if (wanted !== undefined) return `an object whose \`${name}\` is ${wanted}`;
    }
    return undefined;
  };

const continuations: ReadonlySet<unknown> = new Set(["ask", "continue", "autonomous"]);

/** One for every option that there is: an option without a check does not compile. */
const checks: { readonly [Name in keyof Required<AdapterOptions>]: Check } = {
  settings: (value) => (isFields(value) ? undefined : "an object of settings"),
  compactableTools: hasFunctions("kindOf"),
  recallHint: isFunction,
  droppedHint: isFunction,
  hooks: hasFunctions("preCompact", "sessionStart", "postCompact"),
  continuation: (value) => (continuations.has(value) ? undefined : '"ask", "continue" or "autonomous"'),
  events: hasFunctions("on", "emit"),
  estimator: hasFunctions("block", "message", "pad"),
  provider: hasFunctions("stream", "capabilities"),
  capabilities: (value) =>
    isFields(value) && typeof value["caching"] === "string" ? undefined : "an object with `caching`",
  notes: isFunction,
  clock: hasFunctions("now"),
  retry: fieldsOf({ maxRetries: wholeFrom(0), baseMs: amount, maxMs: amount, maxRetryAfterMs: amount }),
  ports: fieldsOf({ sleep: isFunction, random: isFunction }),
  onStep: isFunction,
  store: hasFunctions("find", "insert"),
  maxHeldCharacters: wholeFrom(1),
  maxThreads: wholeFrom(1),
};

/**
 * Throws for options that an adapter could not work with, and says in one sentence what is wrong: when it is made, not
 * in the middle of a conversation. `more` are those that only this adapter has.
 */
export function checkAdapterOptions(
  adapter: string,
  options: unknown,
  more: Readonly<Record<string, Check>> = {},
): void {
  if (!isFields(options)) throw badOption(`${adapter}: the options must be an object`);
  const known: Readonly<Record<string, Check>> = { ...checks, ...more };
  for (const [name, value] of Object.entries(options)) {
    const check = Object.hasOwn(known, name) ? known[name] : undefined;
    if (check === undefined) {
      const names = Object.keys(known).toSorted().join(", ");
      throw badOption(`${adapter}: there is no option ${JSON.stringify(name)}; there are ${names}`);
    }
    const wanted = value === undefined ? undefined : check(value);
    if (wanted !== undefined) throw badOption(`${adapter}: \`${name}\` must be ${wanted}`);
  }
  const { settings, notes } = options as AdapterOptions;
  const { notes: keepsNotes } = settingsOf(adapter, settings);
  if (keepsNotes && notes === undefined)
    throw badOption(`${adapter}: the setting notes needs the option \`notes\`, which makes a place for them`);
}

/** For `threadOf`. */
export const threadOfCheck = { threadOf: isFunction };

function settingsOf(adapter: string, given: GivenSettings | undefined): ReturnType<typeof checkedSettings> {
  try {
    return checkedSettings(given);
  } catch (error) {
    const why = isPalimpsestError(error) ? error.message : "a setting has a value that cannot be read";
    throw badOption(`${adapter}: ${why}`);
  }
}
