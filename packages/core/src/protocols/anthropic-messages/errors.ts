import type { ErrorResponse } from "../error-response.js";
import type { ApiFailure, ApiFailureKind, PlainFailure } from "../../messages/call/failure.js";
import { readErrorBody } from "./error-body.js";
import type { HeaderReader } from "../headers.js";
import { responseOf, unansweredFailure } from "./thrown-error.js";
import { findOverflow } from "./overflow-text.js";
import { readRetryAfter } from "../retry-after.js";
import type { WireErrorBody } from "./wire.js";

const statuses: ReadonlyMap<string, number> = new Map([
  ["invalid_request_error", 400],
  ["authentication_error", 401],
  ["billing_error", 402],
  ["permission_error", 403],
  ["not_found_error", 404],
  ["conflict_error", 409],
  ["request_too_large", 413],
  ["rate_limit_error", 429],
  ["api_error", 500],
  ["timeout_error", 504],
  ["overloaded_error", 529],
]);

/** The HTTP status that goes with an error type; 500 for a type that the API does not have. */
export function errorStatus(type: string): number {
  return statuses.get(type) ?? 500;
}

export interface ErrorParts {
  /** Not part of the body: for the response around it; `errorStatus` knows the usual one. */
  readonly status?: number;
  readonly type: string;
  readonly message: string;
  readonly errorCode?: string;
  readonly requestId: string;
}

/** The body of an error response. */
export function encodeError({ type, message, errorCode, requestId }: ErrorParts): WireErrorBody {
  const details = errorCode === undefined ? {} : { details: { error_code: errorCode } };
  return { type: "error", error: { type, message, ...details }, request_id: requestId };
}

/** By type and by status. */
const kinds: ReadonlyMap<string | number, PlainFailure["kind"]> = new Map<
  string | number,
  PlainFailure["kind"]
>([
  ["invalid_request_error", "invalid-request"],
  ["authentication_error", "authentication"],
  ["billing_error", "billing"],
  ["permission_error", "permission"],
  ["not_found_error", "not-found"],
  ["conflict_error", "conflict"],
  ["request_too_large", "request-too-large"],
  ["timeout_error", "timeout"],
  ["overloaded_error", "overloaded"],
  [401, "authentication"],
  [402, "billing"],
  [403, "permission"],
  [404, "not-found"],
  [408, "timeout"],
  [409, "conflict"],
  [413, "request-too-large"],
  [504, "timeout"],
  [529, "overloaded"],
]);

const retryableKinds: ReadonlySet<ApiFailureKind> = new Set([
  "rate-limit",
  "overloaded",
  "conflict",
  "timeout",
  "api",
]);

/** Kinds under which a server reports an overflow; a limit on tokens per minute is not among them. */
const kindsOfOverflow: ReadonlySet<ApiFailureKind> = new Set(["invalid-request", "request-too-large", "api"]);

/** A rate limit that does not pass by waiting. */
const SPEND_LIMIT_CODE = "enforced_spend_limit_reached";

/**
 * What an error response or an `error` event means; also an exception of the official client, or of `fetch`, as it is. Never
 * throws.
 */
export function decodeError(given: ErrorResponse | Error): ApiFailure {
  const unanswered = unansweredFailure(given);
  if (unanswered !== undefined) return unanswered;
  const response = responseOf(given);
  const { status, headers, now } = response;
  const { type, message, errorCode, requestId: idInBody } = readErrorBody(response.body);
  const plainKind = plainKindOf(type, status);
  const overflow = kindsOfOverflow.has(plainKind) ? findOverflow(message) : undefined;
  const kind = overflow === undefined ? plainKind : "context-overflow";
  const retryAfterMs = readRetryAfter(headers, now);
  const requestId = headers?.get("request-id") ?? idInBody;
  const facts = {
    message: message === "" ? `no message, status ${status ?? "unknown"}` : message,
    retryable: advice(headers) ?? (retryableKinds.has(kind) && errorCode !== SPEND_LIMIT_CODE),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(status === undefined ? {} : { status }),
    ...(type === undefined ? {} : { type }),
    ...(errorCode === undefined ? {} : { errorCode }),
    ...(requestId === undefined ? {} : { requestId }),
  };
  return overflow === undefined
    ? { kind: plainKind, ...facts }
    : { kind: "context-overflow", ...facts, ...overflow };
}

/** The type says more than the status, except that it calls some things an API error that the status names. */
function plainKindOf(type: string | undefined, status: number | undefined): PlainFailure["kind"] {
  if (type === "rate_limit_error" || status === 429) return "rate-limit";
  const known = kinds.get(type ?? "") ?? kinds.get(status ?? 0);
  if (known !== undefined) return known;
  return status !== undefined && status >= 400 && status < 500 ? "invalid-request" : "api";
}

/** The server's own word on whether to try again. */
function advice(headers: HeaderReader | undefined): boolean | undefined {
  const word = headers?.get("x-should-retry");
  if (word === "true") return true;
  return word === "false" ? false : undefined;
}
