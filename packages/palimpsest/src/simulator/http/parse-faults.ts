import type { Fault, FaultRule, FaultSpan } from "./faults.js";

/** How `--faults` is written. */
export const faultGrammar = `FAULT@WHEN[:VALUE], several separated by commas
  FAULT  401, 413, 500, 529
         429[:RETRY-AFTER]        429 with retry-after, 1s unless given
         cut[:EVENTS]             cuts the connection after so many events, 0 unless given: before the response
         error[:EVENTS[:TYPE]]    an error event after so many events, 1 and overloaded_error unless given
         slow:TIME                waits before every event
         delay:TIME               waits before the response begins
  WHEN   3 (the third POST /v1/messages), 5-7, 5- (from the fifth on), +2 (the next two)
  TIME   50ms, 2s, 1m`;

export type ParsedFaults =
  | { readonly kind: "rules"; readonly rules: readonly FaultRule[] }
  /** Why it is none, as a sentence. */
  | { readonly kind: "problem"; readonly problem: string };

const KINDS = ["401", "413", "429", "500", "529", "cut", "error", "slow", "delay"] as const;
const MOST_RULES = 1000;
const LONGEST_WAIT = 3_600_000;
const HIGHEST_NUMBER = 1_000_000_000;

/** Reads the grammar of `--faults`. */
export function parseFaults(text: string): ParsedFaults {
  const items = text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
  return collect(items, (item) => parseItem(String(item)));
}

/** Reads the JSON of the control endpoint: the grammar as a string, or a list of objects. */
export function readFaults(value: unknown): ParsedFaults {
  if (typeof value === "string") return parseFaults(value);
  if (!Array.isArray(value)) return problem("faults has to be a string or a list");
  return collect(value, readItem);
}

const problem = (text: string): Extract<ParsedFaults, { kind: "problem" }> => ({
  kind: "problem",
  problem: text,
});

function collect(items: readonly unknown[], read: (item: unknown) => FaultRule | string): ParsedFaults {
  if (items.length > MOST_RULES) return problem(`there are more than ${MOST_RULES} faults`);
  const rules: FaultRule[] = [];
  for (const item of items) {
    const rule = read(item);
    if (typeof rule === "string") return problem(rule);
    rules.push(rule);
  }
  return { kind: "rules", rules };
}

function parseItem(item: string): FaultRule | string {
  const match = /^([^@:]*)@([^@:]*)(?::(.*))?$/.exec(item);
  if (match === null)
    return `"${item}" is not a fault: it is written FAULT@WHEN or FAULT@WHEN:VALUE, like 429@3`;
  const [, kind = "", when = "", value] = match;
  const span = parseSpan(when);
  if (span === undefined) {
    return `"${item}" has no such request: "${when}" is not a number, a range like 5-7, or +2`;
  }
  const [first, ...rest] = value === undefined ? [] : value.split(":");
  const fault = parseFault(kind, { first, rest, item });
  return typeof fault === "string" ? fault : { fault, span };
}

interface Values {
  readonly first: string | undefined;
  readonly rest: readonly string[];
  readonly item: string;
}

function parseFault(kind: string, { first, rest, item }: Values): Fault | string {
  const takes =
    kind === "error" ? 2 : kind === "401" || kind === "413" || kind === "500" || kind === "529" ? 0 : 1;
  const given = (first === undefined ? 0 : 1) + rest.length;
  if (isKind(kind) && given > takes) {
    return takes === 0
      ? `"${item}" has a value, but ${kind} takes none`
      : `"${item}" has ${given} values, but ${kind} takes ${takes} at most`;
  }
  switch (kind) {
    case "401":
    case "413":
    case "500":
    case "529":
      return { fault: kind };
    case "429": {
      const wait = parseTime(first ?? "1s");
      if (wait === undefined) return timeProblem(item, first);
      return { fault: "429", retryAfterSeconds: Math.ceil(wait / 1000) };
    }
    case "cut":
    case "error": {
      const events = parseCount(first ?? (kind === "cut" ? "0" : "1"));
      if (events === undefined) return `"${item}" has no number of events: "${first}" is not a whole number`;
      if (kind === "cut") return { fault: "cut", events };
      const type = rest[0] ?? "overloaded_error";
      if (!isErrorType(type))
        return `"${item}" has no error type: "${type}" is not a name like overloaded_error`;
      return { fault: "error", events, type };
    }
    case "slow":
    case "delay": {
      if (first === undefined) return `"${item}" lacks a time: it is written ${item}:50ms`;
      const milliseconds = parseTime(first);
      return milliseconds === undefined ? timeProblem(item, first) : { fault: kind, milliseconds };
    }
    default:
      return `"${item}" is not a fault: "${kind}" is not one of ${KINDS.join(", ")}`;
  }
}

const isKind = (kind: unknown): kind is (typeof KINDS)[number] =>
  (KINDS as readonly unknown[]).includes(kind);

const isErrorType = (type: string): boolean => /^[a-z_]{1,64}$/.test(type);

const timeProblem = (item: string, text: string | undefined): string =>
  `"${item}" has no time: "${text ?? ""}" is not a time up to an hour like 50ms, 2s or 1m`;

function parseTime(text: string): number | undefined {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m)$/.exec(text) ?? [];
  const scale = unit === "ms" ? 1 : unit === "s" ? 1000 : 60_000;
  const milliseconds = amount === undefined ? Number.NaN : Number(amount) * scale;
  return milliseconds <= LONGEST_WAIT ? milliseconds : undefined;
}

function parseCount(text: string): number | undefined {
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return count <= HIGHEST_NUMBER ? count : undefined;
}

function parseSpan(when: string): FaultSpan | undefined {
  if (when.startsWith("+")) {
    const next = parseCount(when.slice(1));
    return next === undefined || next === 0 ? undefined : { next };
  }
  const [, first = "", dash, last = ""] = /^(\d+)(?:(-)(\d*))?$/.exec(when) ?? [];
  const from = parseCount(first);
  const to = dash === undefined ? from : last === "" ? Number.POSITIVE_INFINITY : parseCount(last);
  if (from === undefined || to === undefined || from === 0 || to < from) return undefined;
  return { from, to };
}

/** `{"fault": "cut", "at": 9, "events": 4}`; `at` is a number, or a span as the grammar writes it. */
function readItem(value: unknown): FaultRule | string {
  if (typeof value !== "object" || value === null) return "a fault has to be an object";
  const { fault: kind, at, events, type, retryAfterSeconds, milliseconds } = value as Record<string, unknown>;
  if (!isKind(kind)) return `fault has to be one of ${KINDS.join(", ")}`;
  const span = typeof at === "number" || typeof at === "string" ? parseSpan(String(at)) : undefined;
  if (span === undefined) return 'at has to be the number of a request, or a text like "5-7", "5-" or "+2"';
  const fault = readFault(kind, { events, type, retryAfterSeconds, milliseconds });
  return typeof fault === "string" ? fault : { fault, span };
}

function readFault(kind: (typeof KINDS)[number], fields: Readonly<Record<string, unknown>>): Fault | string {
  const number = (name: string, fallback?: number): number | undefined => {
    const value = fields[name] ?? fallback;
    return typeof value === "number" && value >= 0 && value <= LONGEST_WAIT ? value : undefined;
  };
  switch (kind) {
    case "429": {
      const retryAfterSeconds = number("retryAfterSeconds", 1);
      if (retryAfterSeconds === undefined) return "retryAfterSeconds must be a number";
      return { fault: kind, retryAfterSeconds: Math.ceil(retryAfterSeconds) };
    }
    case "cut":
    case "error": {
      const events = number("events", kind === "cut" ? 0 : 1);
      if (events === undefined || !Number.isInteger(events)) return "events has to be a whole number";
      if (kind === "cut") return { fault: kind, events };
      const type = fields["type"] ?? "overloaded_error";
      const isType = typeof type === "string" && isErrorType(type);
      return isType ? { fault: kind, events, type } : "type has to be a name like overloaded_error";
    }
    case "slow":
    case "delay": {
      const milliseconds = number("milliseconds");
      if (milliseconds === undefined) return `milliseconds must be a number up to ${LONGEST_WAIT}`;
      return { fault: kind, milliseconds };
    }
    default:
      return { fault: kind };
  }
}
