import { PlayerError } from "../player-error.js";
import type { PlannedBlock } from "./positioned-player.js";
import { isFields } from "../fields.js";
import type { ResponseStep, Script, ScriptStep } from "./script.js";
import { isToolKind, toolKinds } from "./tool-kinds.js";
import type { WantedCall } from "./tool-mapping.js";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads a script from JSON: a list of steps, or `{ "steps": […], "closing": "…" }`. Throws a `PlayerError` that
 * names the step (counted from 1) and the field. Fields that mean nothing are refused: they are mistakes.
 */
export function parseScript(text: string): Script {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new PlayerError(
      "bad-script",
      `the script is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    );
  }
  const script = Array.isArray(value) ? { steps: value } : value;
  if (!isFields(script) || !Array.isArray(script["steps"])) {
    throw new PlayerError("bad-script", 'a script is a list of steps, or an object with "steps"');
  }
  new Place("the script").only(script, ["steps", "closing"]);
  const { closing } = script;
  return {
    steps: script["steps"].map((step: unknown, index) => parseStep(step, new Place(`step ${index + 1}`))),
    ...(closing === undefined ? {} : { closing: new Place("the script").text(closing, "closing") }),
  };
}

function parseStep(step: unknown, place: Place): ScriptStep {
  if (typeof step === "string") return step === "" ? place.fail("is an empty text") : step;
  if (!isFields(step)) return place.fail("is neither a text nor an object");
  if ("pause" in step) {
    place.only(step, ["pause"]);
    const { pause } = step;
    return pause === true || (typeof pause === "string" && pause !== "")
      ? { pause }
      : place.fail('"pause" is true or a text');
  }
  if ("error" in step) {
    place.only(step, ["error", "delivery", "times"]);
    return { error: parseError(step["error"], place), ...travel(step, place) };
  }
  place.only(step, ["thinking", "text", "calls", "blocks", "stopReason", "delivery", "times"]);
  if ("blocks" in step && ["thinking", "text", "calls"].some((name) => name in step)) {
    return place.fail('has "blocks" and, beside them, "thinking", "text" or "calls"');
  }
  const { thinking, text, calls, blocks, stopReason } = step;
  return {
    ...(thinking === undefined ? {} : { thinking: place.text(thinking, "thinking") }),
    ...(text === undefined ? {} : { text: place.text(text, "text") }),
    ...(calls === undefined
      ? {}
      : {
          calls: place
            .list(calls, "calls")
            .map((call, index) => parseCall(call, place.at(`calls[${index}]`))),
        }),
    ...(blocks === undefined
      ? {}
      : {
          blocks: place
            .list(blocks, "blocks")
            .map((block, index) => parseBlock(block, place.at(`blocks[${index}]`))),
        }),
    ...(stopReason === undefined ? {} : { stopReason: place.text(stopReason, "stopReason") }),
    ...travel(step, place),
  };
}

function parseBlock(block: unknown, place: Place): PlannedBlock {
  if (!isFields(block)) return place.fail("is not an object");
  if ("thinking" in block) {
    place.only(block, ["type", "thinking"]);
    return { type: "thinking", thinking: place.text(block["thinking"], "thinking") };
  }
  if ("text" in block) {
    place.only(block, ["type", "text"]);
    return { type: "text", text: place.text(block["text"], "text") };
  }
  const { type: _type, ...call } = block;
  return { type: "call", call: parseCall(call, place) };
}

function parseCall(call: unknown, place: Place): WantedCall {
  if (!isFields(call)) return place.fail("is not an object");
  place.only(call, ["tool", "kind", "input"]);
  const { tool, kind, input = {} } = call;
  if (tool === undefined && kind === undefined) return place.fail('needs a "tool" or a "kind"');
  if (kind !== undefined && !isToolKind(kind)) {
    return place.fail(`"kind" is one of ${toolKinds.join(", ")}, not ${JSON.stringify(kind)}`);
  }
  if (!isFields(input)) return place.fail('"input" is not an object');
  return {
    ...(tool === undefined ? {} : { tool: place.text(tool, "tool") }),
    ...(kind === undefined ? {} : { kind }),
    input,
  };
}

function parseError(error: unknown, place: Place): { status: number; type: string; message: string } {
  if (!isFields(error)) return place.fail('"error" is not an object');
  place.at("error").only(error, ["status", "type", "message"]);
  const status = place.number(error["status"], "error.status");
  if (!Number.isInteger(status) || status < 400 || status > 599)
    return place.fail('"error.status" is not between 400 and 599');
  const { type = defaultType(status), message = "Scripted error" } = error;
  return { status, type: place.text(type, "error.type"), message: place.text(message, "error.message") };
}

const defaultType = (status: number): string =>
  ({
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
  })[status] ?? "api_error";

function travel(step: Fields, place: Place): Pick<ResponseStep, "delivery" | "times"> {
  const { delivery, times } = step;
  if (times !== undefined && (!Number.isInteger(times) || Number(times) < 1))
    return place.fail('"times" is not a whole number above 0');
  return {
    ...(delivery === undefined ? {} : { delivery: parseDelivery(delivery, place) }),
    ...(times === undefined ? {} : { times: Number(times) }),
  };
}

function parseDelivery(delivery: unknown, place: Place): NonNullable<ResponseStep["delivery"]> {
  if (!isFields(delivery)) return place.fail('"delivery" is not an object');
  place.at("delivery").only(delivery, ["delayMs", "eventDelayMs", "cutAfterEvents", "errorAfterEvents"]);
  const { delayMs, eventDelayMs, cutAfterEvents, errorAfterEvents } = delivery;
  return {
    ...(delayMs === undefined ? {} : { delayMs: place.number(delayMs, "delivery.delayMs") }),
    ...(eventDelayMs === undefined
      ? {}
      : { eventDelayMs: place.number(eventDelayMs, "delivery.eventDelayMs") }),
    ...(cutAfterEvents === undefined
      ? {}
      : { cutAfterEvents: place.number(cutAfterEvents, "delivery.cutAfterEvents") }),
    ...(errorAfterEvents === undefined ? {} : { errorAfterEvents: parseErrorEvent(errorAfterEvents, place) }),
  };
}

function parseErrorEvent(event: unknown, place: Place): { events: number; type: string; message: string } {
  const inner = place.at("delivery.errorAfterEvents");
  if (!isFields(event)) return inner.fail("is not an object");
  inner.only(event, ["events", "type", "message"]);
  const { events, type = "overloaded_error", message = "Overloaded" } = event;
  return {
    events: inner.number(events, "events"),
    type: inner.text(type, "type"),
    message: inner.text(message, "message"),
  };
}

/** Where in the script something is wrong. */
class Place {
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  at(inner: string): Place {
    return new Place(`${this.#name}, ${inner}`);
  }

  fail(problem: string): never {
    throw new PlayerError("bad-script", `${this.#name}: ${problem}`);
  }

  text(value: unknown, field: string): string {
    return typeof value === "string" && value !== "" ? value : this.fail(`"${field}" is not a text`);
  }

  number(value: unknown, field: string): number {
    const fits = typeof value === "number" && Number.isFinite(value) && value >= 0;
    return fits ? value : this.fail(`"${field}" is not a number from 0 on`);
  }

  list(value: unknown, field: string): readonly unknown[] {
    return Array.isArray(value) ? value : this.fail(`"${field}" is not a list`);
  }

  only(value: Fields, fields: readonly string[]): void {
    const odd = Object.keys(value).find((name) => !fields.includes(name));
    if (odd !== undefined) this.fail(`"${odd}" means nothing here (known: ${fields.join(", ")})`);
  }
}
