import type { ApiFailure } from "./failure.js";

export interface RetrySettings {
  /** Attempts after the first one, at most. */
  readonly maxRetries: number;
  /** The first wait; each later one is twice as long. Up to a quarter of it is left out at random. */
  readonly baseMs: number;
  /** No wait that is not the server's wish is longer. */
  readonly maxMs: number;
  /** A server that asks for a longer wait is not waited for: its failure is final. */
  readonly maxRetryAfterMs: number;
}

export interface RetryPorts {
  /** May end early, by resolving or rejecting, when the signal is aborted. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** How often and how long failed calls are tried again, unless somebody says otherwise. */
export const defaultRetrySettings: RetrySettings = {
  maxRetries: 4,
  baseMs: 500,
  maxMs: 8000,
  maxRetryAfterMs: 60_000,
};

/** The settings that were given, and the defaults of the others. */
export function resolveRetrySettings(given: Partial<RetrySettings> = {}): RetrySettings {
  return {
    maxRetries: given.maxRetries ?? defaultRetrySettings.maxRetries,
    baseMs: given.baseMs ?? defaultRetrySettings.baseMs,
    maxMs: given.maxMs ?? defaultRetrySettings.maxMs,
    maxRetryAfterMs: given.maxRetryAfterMs ?? defaultRetrySettings.maxRetryAfterMs,
  };
}

/** Whatever a server says about them: the same request would fail in the same way. */
const neverRetried: ReadonlySet<ApiFailure["kind"]> = new Set([
  "context-overflow",
  "authentication",
  "invalid-request",
  "aborted",
]);

/** The share of a wait that is up to chance. */
const JITTER = 0.25;

export interface AttemptFacts {
  /** From 1. */
  readonly attempt: number;
  readonly settings: RetrySettings;
  readonly random: RetryPorts["random"];
}

/** The wait before the next attempt, in milliseconds; undefined where there is to be none. */
export function waitBeforeRetry(
  failure: ApiFailure,
  { attempt, settings, random }: AttemptFacts,
): number | undefined {
  if (!(attempt <= settings.maxRetries)) return undefined;
  if (!failure.retryable || neverRetried.has(failure.kind)) return undefined;
  const { retryAfterMs } = failure;
  if (retryAfterMs !== undefined) {
    return retryAfterMs > settings.maxRetryAfterMs ? undefined : retryAfterMs;
  }
  const wait = Math.min(settings.baseMs * 2 ** (attempt - 1), settings.maxMs);
  return wait * (1 - JITTER * random());
}
