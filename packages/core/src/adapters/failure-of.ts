import type { ApiFailure } from "../messages/call/failure.js";
import { asText, isFields, type Fields } from "../messages/fields.js";
import { decodeError } from "../protocols/anthropic-messages/errors.js";
import type { ErrorResponse } from "../protocols/error-response.js";
import type { HeaderReader } from "../protocols/headers.js";
import { decodeChatError } from "../protocols/openai-chat/errors.js";

/** How deep frameworks wrap what a client threw. */
const MOST_CAUSES = 5;

/** An exception that carries what it means. */
export class FailureError extends Error {
  readonly failure: ApiFailure;
  constructor(failure: ApiFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** What a client's exception means, whichever client it was. `now` is for a wait that is told as a date. Never throws. */
export function failureOf(error: unknown, now?: number): ApiFailure {
  if (error instanceof FailureError) return error.failure;
  if (isAbort(error)) return { kind: "aborted", message: "called off", retryable: false };
  const chain = causesOf(error);
  const response = responseIn(chain);
  if (response === undefined) return unansweredFailure(error, chain);
  return decode({ ...response, now });
}

/** As the Messages API means it, unless only the other protocol knows the words for a window that is full. */
function decode(response: ErrorResponse): ApiFailure {
  const failure = decodeError(response);
  if (failure.kind === "context-overflow") return failure;
  const chat = decodeChatError(response);
  return chat.kind === "context-overflow" ? chat : failure;
}

const isAbort = (error: unknown): boolean =>
  isFields(error) && (error["name"] === "AbortError" || error["name"] === "APIUserAbortError");

/** The exception and what caused it, outermost first. */
function causesOf(error: unknown): readonly Fields[] {
  const chain: Fields[] = [];
  for (let at = error; chain.length < MOST_CAUSES && isFields(at); at = at["cause"]) chain.push(at);
  return chain;
}

/** What a server answered, as far as the exception or one of its causes has it: also as an event in a stream. */
function responseIn(chain: readonly Fields[]): ErrorResponse | undefined {
  for (const at of chain) {
    const status = numberIn(at, "status") ?? numberIn(at, "statusCode");
    const body = at["responseBody"] ?? at["error"];
    if (status !== undefined) return { status, headers: headersIn(at), body: body ?? at["message"] };
    if (isErrorBody(body)) return { headers: headersIn(at), body };
    if (isErrorBody(at)) return { body: { type: "error", error: at } };
  }
  return undefined;
}

/** `{type, error: {…}}`, or what stands in it: `{type: "overloaded_error", message}`. */
const isErrorBody = (value: unknown): boolean =>
  isFields(value) && (isFields(value["error"]) || /^[a-z_]+_error$/.test(asText(value["type"])));

/** Of `fetch`, or as a plain object. */
function headersIn({ responseHeaders, headers }: Fields): HeaderReader | undefined {
  const found = responseHeaders ?? headers;
  if (!isFields(found)) return undefined;
  if (typeof found["get"] === "function") return found as unknown as HeaderReader;
  const named = new Map(Object.entries(found).map(([name, value]) => [name.toLowerCase(), value]));
  return { get: (name) => asText(named.get(name)) || null };
}

/** Codes of the system's, and names that clients give to a connection that failed. */
const CONNECTION = /^(?:E[A-Z]{4,}|UND_ERR_[A-Z_]+|APIConnection(?:Timeout)?Error|TimeoutError)$/;

/** Nobody answered: a connection that failed may succeed later, a fault of the program's own will not. */
function unansweredFailure(error: unknown, chain: readonly Fields[]): ApiFailure {
  const message = asText(chain[0]?.["message"]) || String(error);
  const isConnection = chain.some(
    (at) =>
      at["isRetryable"] === true ||
      CONNECTION.test(asText(at["code"])) ||
      CONNECTION.test(asText(at["name"])) ||
      // As `fetch` says it, in one runtime or the other.
      (at["name"] === "TypeError" &&
        /fetch failed|failed to fetch|terminated|network/i.test(asText(at["message"]))),
  );
  if (isConnection) return { kind: "connection", message, retryable: true };
  // A server whose answer nobody has kept may still have said what is wrong.
  return { ...decode({ body: message }), retryable: false };
}

const numberIn = (fields: Fields, name: string): number | undefined => {
  const value = fields[name];
  return typeof value === "number" ? value : undefined;
};
