import type { ApiFailure } from "../messages/call/failure.js";
import { isFields, type Fields } from "../messages/fields.js";
import { decodeError } from "../protocols/anthropic-messages/errors.js";
import { decodeChatError } from "../protocols/openai-chat/errors.js";

/** How deep frameworks wrap what a client threw. */
const MOST_CAUSES = 5;

/** What a client's exception means, whichever client it was. Never throws. */
export function failureOf(error: unknown): ApiFailure {
  const { status, body } = findResponse(error);
  if (isAbort(error)) return { kind: "aborted", message: "called off", retryable: false };
  const response = { status, body };
  const failure = decodeError(response);
  if (failure.kind === "context-overflow") return failure;
  const chat = decodeChatError(response);
  return chat.kind === "context-overflow" ? chat : failure;
}

const isAbort = (error: unknown): boolean =>
  isFields(error) && (error["name"] === "AbortError" || error["name"] === "APIUserAbortError");

/** The status and the body, as far as the exception or one of its causes has them. */
function findResponse(error: unknown): { readonly status?: number | undefined; readonly body: unknown } {
  let at: unknown = error;
  for (let depth = 0; depth < MOST_CAUSES && isFields(at); depth += 1) {
    const status = numberOf(at, "status") ?? numberOf(at, "statusCode");
    if (status !== undefined) return { status, body: at["responseBody"] ?? at["error"] ?? at["message"] };
    at = at["cause"];
  }
  return { body: isFields(error) ? error["message"] : String(error) };
}

const numberOf = (fields: Fields, name: string): number | undefined => {
  const value = fields[name];
  return typeof value === "number" ? value : undefined;
};
