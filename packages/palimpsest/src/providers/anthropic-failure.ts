import type { ApiFailure, PlainFailure } from "@palimpsest/core";
import { decodeError } from "@palimpsest/core/protocols";
import type * as AnthropicSdk from "@anthropic-ai/sdk";
import { isSystemError, redirected, thrownFailure } from "./failures.js";

export const refused = (kind: PlainFailure["kind"], message: string): PlainFailure => ({
  kind,
  message,
  retryable: false,
});

export const keyMissing = refused(
  "authentication",
  "there is no API key: pass one as apiKey, or set ANTHROPIC_API_KEY",
);

const noAnswerInTime: PlainFailure = {
  kind: "timeout",
  message: "the server did not answer in time",
  retryable: true,
};

/**
 * What an error of the SDK means that kept it from giving a response. What is no `APIError` was thrown before
 * anything was sent, where the SDK looks for credentials; its text may hold one and is not repeated.
 */
export function sdkFailure(
  error: unknown,
  sdk: typeof AnthropicSdk | undefined,
  address: string,
): ApiFailure {
  if (isA(error, "APIConnectionTimeoutError", sdk)) return noAnswerInTime;
  if (isApiError(error, sdk) && error.status !== undefined) {
    const { status, headers } = error;
    if (status >= 300 && status < 400) return redirected(status, headers ?? new Headers());
    return decodeError({ status, headers, body: bodyOf(error), now: Date.now() });
  }
  if (isApiError(error, sdk) || isSystemError(error)) return thrownFailure(error, address);
  if (error instanceof Error && error.message.startsWith("Could not resolve authentication method")) {
    return keyMissing;
  }
  const name = error instanceof Error ? error.name : "no error";
  return refused("authentication", `the key or token cannot be used (${name})`);
}

type ErrorName = "APIError" | "APIConnectionTimeoutError";

const isApiError = (error: unknown, sdk: typeof AnthropicSdk | undefined): error is AnthropicSdk.APIError =>
  isA(error, "APIError", sdk);

/** By its class where that is at hand; else by its name: a client that was given may come from another copy of the SDK. */
function isA(error: unknown, name: ErrorName, sdk: typeof AnthropicSdk | undefined): boolean {
  if (sdk !== undefined) return error instanceof sdk[name];
  for (let at: unknown = error; typeof at === "object" && at !== null; at = Object.getPrototypeOf(at)) {
    if ((at.constructor as { readonly name?: string } | undefined)?.name === name) return true;
  }
  return false;
}

/** A body that is no JSON is only part of the message, after the status. */
function bodyOf({ error, message, status }: AnthropicSdk.APIError): unknown {
  if (error !== undefined) return error;
  const start = `${status} `;
  return message.startsWith(start) ? message.slice(start.length) : "";
}
