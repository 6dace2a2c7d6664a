import type { ModelResponse, ResponseUsage } from "../../messages/call/response.js";
import { isFields, type Fields } from "../../messages/fields.js";

/**
 * The message with the values of a `message_delta` event in place of its own. Usage is cumulative: values
 * replace, they never add. A value that is null or absent changes nothing.
 */
export function mergeMessageDelta(message: ModelResponse, event: Fields): ModelResponse {
  const delta = isFields(event["delta"]) ? event["delta"] : {};
  return {
    ...message,
    ...stringField(delta, "stop_reason"),
    ...stringField(delta, "stop_sequence"),
    ...given(delta, ["stop_details", "container"]),
    ...given(event, ["context_management", "input_transformations"]),
    usage: mergeUsage(message.usage, event["usage"]),
  };
}

function mergeUsage(usage: ResponseUsage, later: unknown): ResponseUsage {
  if (!isFields(later)) return usage;
  const known: Fields = { ...usage };
  const values = Object.entries(later).filter(
    ([name, value]) =>
      value !== null &&
      value !== undefined &&
      // A figure stays a figure.
      (typeof known[name] !== "number" || typeof value === "number"),
  );
  return { ...usage, ...Object.fromEntries(values) };
}

function stringField<Name extends string>(source: Fields, name: Name): { readonly [key in Name]?: string } {
  const value = source[name];
  return (typeof value === "string" ? { [name]: value } : {}) as { readonly [key in Name]?: string };
}

function given(source: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(
    names
      .map((name) => [name, source[name]] as const)
      .filter(([, value]) => value !== null && value !== undefined),
  );
}
