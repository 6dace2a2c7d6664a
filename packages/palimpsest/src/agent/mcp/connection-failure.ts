import { PACKAGE_MISSING } from "../../providers/optional-package.js";
import { isFields } from "../base/fields.js";
import { oneLine } from "../base/plain-text.js";

/** What went wrong with a request to a server. */
type FailureKind =
  /** The server answered with an error. */
  | "answered"
  /** Nobody took the request: it can be sent again. */
  | "not-delivered"
  /** The connection broke after the request: nobody knows what came of it. */
  | "broken"
  | "timed-out"
  /** Trying again changes nothing: no such command, no such address, no access. */
  | "refused";

export interface ConnectionFailure {
  readonly kind: FailureKind;
  /** As the rest of a sentence about the server: `it did not answer in time`. May repeat what the server said. */
  readonly what: string;
}

const LONGEST_REASON = 300;

const neverConnected: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

const neverStarted: ReadonlySet<unknown> = new Set(["ENOENT", "EACCES", "ENOTDIR", "EPERM"]);

/** What an error of the client means, in one line of our own words where there are any. */
export function readFailure(error: unknown): ConnectionFailure {
  const fields = fieldsOf(error);
  const { code } = fields;
  const status = fieldsOf(fields["data"])["status"];
  if (typeof status === "number") return readStatus(status, messageOf(error));
  if (code === "REQUEST_TIMEOUT") return { kind: "timed-out", what: "it did not answer in time" };
  if (code === "CONNECTION_CLOSED") return { kind: "broken", what: "the connection broke" };
  if (code === "NOT_CONNECTED" || messageOf(error) === "Not connected") {
    return { kind: "not-delivered", what: "it is not connected" };
  }
  if (fields["event"] !== undefined) return readStreamFailure(code, messageOf(error));
  if (typeof code === "number") return { kind: "answered", what: messageOf(error) };
  if (fields["syscall"] !== undefined && neverStarted.has(code)) {
    const reason =
      code === "ENOENT" ? "its command was not found" : `its command cannot be run (${String(code)})`;
    return { kind: "refused", what: reason };
  }
  if (code === PACKAGE_MISSING) return { kind: "refused", what: messageOf(error) };
  const unusable = readUnusable(error, code);
  if (unusable !== undefined) return { kind: "refused", what: unusable };
  const cause = asText(fieldsOf(fields["cause"])["code"]);
  if (neverConnected.has(cause)) {
    return { kind: "not-delivered", what: `its address cannot be reached (${cause})` };
  }
  if (error instanceof TypeError && messageOf(error).includes("fetch failed")) {
    return {
      kind: "broken",
      what: `the connection broke${cause === "" ? "" : ` (${cause})`}`,
    };
  }
  return { kind: "broken", what: messageOf(error) };
}

/** What Node says about a configuration repeats its values; they may be keys. */
function readUnusable(error: unknown, code: unknown): string | undefined {
  if (code === "ERR_INVALID_URL") return "its address is not a valid one";
  if (asText(code).startsWith("ERR_INVALID_ARG")) return "its command or arguments cannot be used";
  if (error instanceof TypeError && /header|ByteString/i.test(error.message))
    return "one of its headers cannot be used";
  return undefined;
}

/** An error of a stream of events has the status of its response, or none where there was no response. */
function readStreamFailure(status: unknown, message: string): ConnectionFailure {
  if (typeof status === "number" && status !== 200) return readStatus(status, message);
  const code = /\b(E[A-Z]{4,})\b/.exec(message)?.[1] ?? "";
  return neverConnected.has(code)
    ? { kind: "not-delivered", what: `its address cannot be reached (${code})` }
    : { kind: "broken", what: "the connection broke" };
}

/** Servers forget sessions; the protocol has 404 for it, and not every server keeps to that. */
function readStatus(status: number, message: string): ConnectionFailure {
  if (status === 401 || status === 403) {
    return {
      kind: "refused",
      what: `it refuses access (HTTP ${status}): check the headers it is configured with`,
    };
  }
  if (status === 404 || (status === 400 && /session/i.test(message))) {
    return { kind: "not-delivered", what: `it does not know this session (HTTP ${status})` };
  }
  if (status === 429 || status >= 502)
    return { kind: "not-delivered", what: `it is not available (HTTP ${status})` };
  return { kind: "answered", what: `it answered with HTTP ${status}: ${message}` };
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> => (isFields(value) ? value : {});

const asText = (value: unknown): string => (typeof value === "string" ? value : "");

const messageOf = (error: unknown): string =>
  oneLine(error instanceof Error ? error.message : String(error), LONGEST_REASON);
