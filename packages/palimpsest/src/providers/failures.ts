import type { ApiFailure, PlainFailure, StreamOutput, StreamViolation } from "@palimpsest/core";
import { ResponseLimit } from "./limit-response.js";
import { withoutSecrets } from "./secrets.js";

export const aborted: PlainFailure = {
  kind: "aborted",
  message: "the call was called off",
  retryable: false,
};

export const cutShort: PlainFailure = {
  kind: "connection",
  message: "the connection ended before the response was complete",
  retryable: true,
};

export const idle = (milliseconds: number): PlainFailure => ({
  kind: "timeout",
  message: `the server sent nothing for ${milliseconds / 1000} seconds`,
  retryable: true,
});

export const stalled = (milliseconds: number): PlainFailure => ({
  kind: "timeout",
  message: `the server sent signs of life for ${milliseconds / 1000} seconds, and nothing of an answer`,
  retryable: false,
});

/** A server that sends on: a key is only for the address that it was given for. */
export function redirected(status: number, headers: { get(name: string): string | null }): PlainFailure {
  const location = headers.get("location") ?? "";
  const base = "http://unknown.invalid";
  const host = URL.canParse(location, base) ? new URL(location, base).host : "unknown.invalid";
  const where = host === "unknown.invalid" ? "another address" : host;
  return {
    kind: "invalid-request",
    message: `the server redirects to ${where} (status ${status}), which is not followed: if that is right, make it the base URL`,
    retryable: false,
    status,
  };
}

/** A failure of which the server says that it passes, but so late that nobody waits for it. */
export function withLongWait(failure: ApiFailure, maxRetryAfterMs: number): ApiFailure {
  const { retryable, retryAfterMs, message } = failure;
  if (!retryable || retryAfterMs === undefined || retryAfterMs <= maxRetryAfterMs) return failure;
  return {
    ...failure,
    message: `${message} (the server asks to wait ${describeWait(retryAfterMs)}, which is not waited for)`,
  };
}

function describeWait(milliseconds: number): string {
  const units = [
    ["day", 86_400_000],
    ["hour", 3_600_000],
    ["minute", 60_000],
  ] as const;
  const [unit, size] = units.find(([, length]) => milliseconds >= 2 * length) ?? (["second", 1000] as const);
  return `${Math.round(milliseconds / size).toLocaleString("en-US")} ${unit}s`;
}

/** A response that stops in the middle is a matter of the connection; any other one is the server's fault. */
export const violationFailure = ({ code, detail }: StreamViolation): PlainFailure =>
  code === "truncated"
    ? cutShort
    : {
        kind: "api",
        message: brief(`the server broke the protocol: ${detail}`),
        retryable: true,
      };

type Sentence = Pick<PlainFailure, "kind" | "message" | "isUnsent">;

const sentences: ReadonlyMap<string, Sentence> = new Map(
  (
    [
      ["connection", "the server refused the connection", "ECONNREFUSED", true],
      ["connection", "the connection broke", "ECONNRESET ECONNABORTED EPIPE UND_ERR_SOCKET", false],
      ["connection", "the name of the server could not be resolved", "ENOTFOUND EAI_AGAIN", true],
      ["connection", "the server cannot be reached from here", "EHOSTUNREACH ENETUNREACH ENETDOWN", true],
      ["connection", "the proxy cannot be reached", "PROXY_UNREACHABLE", true],
      [
        "connection",
        "the proxy did not let the call through: check its address, and whether it wants a password",
        "PROXY_REFUSED",
        true,
      ],
      ["timeout", "the connection could not be made in time", "ETIMEDOUT UND_ERR_CONNECT_TIMEOUT", true],
      [
        "timeout",
        "the server sent nothing for too long",
        "UND_ERR_HEADERS_TIMEOUT UND_ERR_BODY_TIMEOUT",
        false,
      ],
    ] as const
  ).flatMap(([kind, message, codes, isUnsent]) =>
    codes.split(" ").map((code) => [code, { kind, message, ...(isUnsent ? { isUnsent } : {}) }]),
  ),
);

const UNKNOWN: Sentence = { kind: "connection", message: "the connection failed" };
const UNSAFE: Sentence = {
  kind: "connection",
  message: "no secure connection could be made",
  isUnsent: true,
};

/**
 * What something thrown by a connection means. Only its code, or the name of its class, is repeated: the text of
 * an error may hold whatever was sent.
 */
export function thrownFailure(error: unknown, address?: string | URL): PlainFailure {
  const limit = limitOf(error);
  if (limit !== undefined) return limit.failure;
  const code = codeOf(error);
  const found = sentences.get(code ?? "") ?? (isAboutTls(code) ? UNSAFE : UNKNOWN);
  const name = code ?? nameOf(error);
  const host = hostOf(address);
  const facts = [host, name].filter((fact) => fact !== undefined).join(", ");
  return {
    ...found,
    message: facts === "" ? found.message : `${found.message} (${facts})`,
    retryable: true,
  };
}

/** Name and port, and nothing else: an address may hold a password or a key. */
function hostOf(address: string | URL | undefined): string | undefined {
  if (address === undefined || !URL.canParse(String(address))) return undefined;
  const { hostname, port, protocol } = new URL(address);
  return `${hostname}:${port || (protocol === "http:" ? "80" : "443")}`;
}

function limitOf(error: unknown, depth: number = 0): ResponseLimit | undefined {
  if (error instanceof ResponseLimit) return error;
  if (!(error instanceof Error) || depth > DEEPEST_CAUSE) return undefined;
  return limitOf(error.cause, depth + 1);
}

/** Whether an error, or what caused it, has a code of the system's: it comes from a connection. */
export const isSystemError = (error: unknown): boolean => codeOf(error) !== undefined;

const isAboutTls = (code: string | undefined): boolean =>
  code !== undefined && /CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO_/.test(code);

/** Deeper than any chain of causes that is seen. */
const DEEPEST_CAUSE = 5;

/** The system's code, which the errors of `fetch` have in their cause, or in one of several errors. */
function codeOf(error: unknown, depth: number = 0): string | undefined {
  if (typeof error !== "object" || error === null || depth > DEEPEST_CAUSE) return undefined;
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown };
  if (typeof code === "string" && /^[A-Z][A-Z0-9_]{2,60}$/.test(code)) return code;
  const several: readonly unknown[] = Array.isArray(errors) ? errors : [];
  return codeOf(cause, depth + 1) ?? codeOf(several[0], depth + 1);
}

function nameOf(error: unknown): string | undefined {
  return error instanceof Error && /^[A-Za-z]{1,60}$/.test(error.name) ? error.name : undefined;
}

const LONGEST_MESSAGE = 2000;

const brief = (message: string): string =>
  message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE)}…` : message;

/** A failure fit to be shown: no text in it without end, as that of a proxy may be, nor with a secret. */
export function presentable<Failure extends ApiFailure>(
  failure: Failure,
  secrets: readonly string[] = [],
): Failure {
  const clean = withoutSecrets(secrets);
  const texts = Object.entries(failure)
    .filter(([name]) => name !== "kind")
    .flatMap(([name, value]: [string, unknown]) =>
      typeof value === "string" ? [[name, brief(clean(value))] as const] : [],
    );
  return { ...failure, ...Object.fromEntries(texts) };
}

/** An output fit to be handed on: what went wrong in it is presentable. */
export function presentableOutput(output: StreamOutput, secrets: readonly string[]): StreamOutput {
  if (output.kind === "error") return { ...output, failure: presentable(output.failure, secrets) };
  if (output.kind !== "violation") return output;
  return { kind: "error", failure: presentable(violationFailure(output.violation), secrets) };
}
