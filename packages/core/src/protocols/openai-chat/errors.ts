import type { ApiFailure, ApiFailureKind, PlainFailure } from "../../messages/call/failure.js";
import type { ErrorResponse } from "../error-response.js";
import type { HeaderReader } from "../headers.js";
import { readRetryAfter } from "../retry-after.js";
import { readChatError, type ChatErrorFacts } from "./error-body.js";
import { exceedsItsLimit, findChatOverflow, isNamedOverflow, isThrottling } from "./overflow-wordings.js";

type PlainKind = PlainFailure["kind"];

/** Codes and types that say more than a status does. In lower case. */
const named: ReadonlyMap<string, PlainKind> = new Map(
  (
    [
      ["billing", "insufficient_quota billing_hard_limit_reached billing_not_active insufficient_balance"],
      ["billing", "exceeded_current_quota_error insufficient_credits billing_error"],
      ["rate-limit", "rate_limit_exceeded rate_limit_error rate_limit_reached_error rate_limited"],
      ["rate-limit", "too_many_requests too_many_requests_error throttling_error resource_exhausted"],
      ["rate-limit", "token_quota_exceeded request_quota_exceeded too_many_tokens_error"],
      ["overloaded", "overloaded_error engine_overloaded_error server_overloaded service_unavailable"],
      ["overloaded", "unavailable unavailable_error"],
      ["authentication", "invalid_api_key invalid_authentication_error authentication_error unauthenticated"],
      ["authentication", "unauthorized wrong_api_key"],
      ["permission", "permission_error permission_denied permission_denied_error forbidden"],
      ["not-found", "model_not_found not_found not_found_error"],
      ["timeout", "timeout timeout_error deadline_exceeded"],
    ] as const
  ).flatMap(([kind, names]) => names.split(" ").map((name) => [name, kind] as const)),
);

const statuses: ReadonlyMap<number, PlainKind> = new Map<number, PlainKind>([
  [401, "authentication"],
  [402, "billing"],
  [403, "permission"],
  [404, "not-found"],
  [408, "timeout"],
  [409, "conflict"],
  [413, "request-too-large"],
  [429, "rate-limit"],
  [503, "overloaded"],
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

/** Kinds under which servers report an overflow, and some of them a rate limit too. */
const vagueKinds: ReadonlySet<ApiFailureKind> = new Set(["invalid-request", "request-too-large", "api"]);

/**
 * What an error response of a chat server, or an error within its stream, means. A text that asks to wait is
 * no overflow, whatever it says of tokens, unless a code calls it one and the status is not 429. Never throws.
 */
export function decodeChatError(response: ErrorResponse): ApiFailure {
  const { headers, now } = response;
  const facts = readChatError(response.body);
  const status = response.status ?? facts.status;
  const plainKind = plainKindOf(facts, status);
  const overflow = vagueKinds.has(plainKind) ? findChatOverflow(facts) : undefined;
  const retryAfterMs = readRetryAfter(headers, now);
  const requestId = headers?.get("x-request-id") ?? headers?.get("request-id") ?? facts.requestId;
  const { type, code } = facts;
  const common = {
    message: facts.message === "" ? `no message, status ${status ?? "unknown"}` : facts.message,
    retryable: advice(headers) ?? mayPass(overflow === undefined ? plainKind : "context-overflow", facts),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(status === undefined ? {} : { status }),
    ...(type === undefined ? {} : { type }),
    ...(code === undefined ? {} : { errorCode: code }),
    ...(requestId === undefined ? {} : { requestId }),
  };
  return overflow === undefined
    ? { kind: plainKind, ...common }
    : { kind: "context-overflow", ...common, ...overflow };
}

function plainKindOf(facts: ChatErrorFacts, status: number | undefined): PlainKind {
  const { type, code, texts } = facts;
  const known = named.get(code?.toLowerCase() ?? "") ?? named.get(type?.toLowerCase() ?? "");
  const kind = known ?? statuses.get(status ?? 0) ?? kindByClass(status, type);
  return vagueKinds.has(kind) && isThrottling(texts) && !isNamedOverflow(facts) ? "rate-limit" : kind;
}

function kindByClass(status: number | undefined, type: string | undefined): PlainKind {
  if (status === undefined || status < 400) {
    return /^(?:invalid_request(?:_error)?|invalid_argument|badrequesterror|validation)$/i.test(type ?? "")
      ? "invalid-request"
      : "api";
  }
  return status < 500 ? "invalid-request" : "api";
}

/** A limit that one request alone exceeds does not pass by waiting. */
function mayPass(kind: ApiFailureKind, { texts }: ChatErrorFacts): boolean {
  return retryableKinds.has(kind) && !(kind === "rate-limit" && exceedsItsLimit(texts));
}

/** The server's own word on whether to try again. */
function advice(headers: HeaderReader | undefined): boolean | undefined {
  const word = headers?.get("x-should-retry");
  if (word === "true") return true;
  return word === "false" ? false : undefined;
}
