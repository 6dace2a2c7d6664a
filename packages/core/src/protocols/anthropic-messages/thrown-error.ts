import type { ApiFailure } from "../../messages/call/failure.js";
import { asFields, asText } from "../../messages/fields.js";
import type { ErrorResponse } from "../error-response.js";

/** What the official client, `fetch` and abort signals call a request that was called off. */
const ABORTS: ReadonlySet<unknown> = new Set(["AbortError", "APIUserAbortError"]);
/** The words for it, where an exception was taken apart and its name is lost. */
const ABORT_TEXT =
  /^(?:Request was aborted|(?:This|The) operation was aborted|signal is aborted without reason|The user aborted a request)\.?$/;
const CONNECTIONS: ReadonlySet<unknown> = new Set(["APIConnectionError", "APIConnectionTimeoutError"]);

/** What happened where no server has answered: somebody called it off, or there was no connection. */
export function unansweredFailure(given: unknown): ApiFailure | undefined {
  const { name, message, status, body } = asFields(given);
  if (status !== undefined) return undefined;
  const text = asText(body) || asText(message) || asText(asFields(body)["message"]);
  if (ABORTS.has(name) || ABORTS.has(asFields(body)["name"]) || ABORT_TEXT.test(text))
    return { kind: "aborted", message: text || "called off", retryable: false };
  return CONNECTIONS.has(name) ? { kind: "connection", message: text, retryable: true } : undefined;
}

/** The response that an exception has in it; what is a response stays as it is. */
export function responseOf(given: ErrorResponse | Error): ErrorResponse {
  if (!(given instanceof Error)) return asFields(given) as unknown as ErrorResponse;
  const { status, headers, error, message } = given as Error & Partial<ErrorResponse> & { error?: unknown };
  return { status, headers, body: error ?? message };
}
