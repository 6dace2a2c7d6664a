import { isFields, type Fields } from "../../messages/fields.js";

export interface ErrorBodyFacts {
  readonly type: string | undefined;
  /** Empty where the body has none. */
  readonly message: string;
  readonly errorCode: string | undefined;
  readonly requestId: string | undefined;
}

/**
 * What an error body says, be it the API's own (`{type: "error", error: {…}}`), its inner part alone, or what a
 * proxy made of it: other JSON with a message, or text. Never throws.
 */
export function readErrorBody(body: unknown): ErrorBodyFacts {
  const value = typeof body === "string" ? parsed(body) : body;
  if (!isFields(value)) return { ...NOTHING, message: stringOf(body) ?? stringOf(value) ?? "" };
  const error = isFields(value["error"]) ? value["error"] : value;
  const details = isFields(error["details"]) ? error["details"] : undefined;
  return {
    type: error === value && error["type"] === "error" ? undefined : stringOf(error["type"]),
    message: messageOf(error) ?? stringOf(value["error"]) ?? messageOf(value) ?? "",
    errorCode: stringOf(details?.["error_code"]),
    requestId: stringOf(value["request_id"]),
  };
}

const NOTHING = { type: undefined, errorCode: undefined, requestId: undefined };

function messageOf(value: Fields): string | undefined {
  return stringOf(value["message"]) ?? stringOf(value["detail"]);
}

function stringOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
