import type { ApiFailure } from "../messages/call/failure.js";
import type { ModelResponse } from "../messages/call/response.js";
import {
  resolveRetrySettings,
  waitBeforeRetry,
  type RetryPorts,
  type RetrySettings,
} from "../messages/call/retry-rules.js";
import type { CallOptions, ModelOutput } from "../engine/ports/model-provider.js";
import { tellObserver } from "../engine/summarise/run/tell-observer.js";
import { failureOf } from "./failure-of.js";

export interface AskRetries {
  readonly call: CallOptions;
  readonly settings: Partial<RetrySettings>;
  readonly ports: Partial<RetryPorts>;
  readonly now: () => number;
}

/**
 * One call beside a framework, with the rules that hold for every call. Never rejects: what comes back is the
 * message or the last failure. Nobody has seen anything of an attempt that fails, however far it had come.
 */
export async function askWithRetries(
  ask: () => Promise<ModelResponse>,
  { call, settings: given, ports, now }: AskRetries,
): Promise<ModelOutput> {
  const settings = resolveRetrySettings(given);
  const { sleep = sleepOnMachine, random = Math.random } = ports;
  for (let attempt = 1; ; attempt += 1) {
    let failure: ApiFailure = { kind: "aborted", message: "called off", retryable: false };
    if (call.signal?.aborted !== true) {
      try {
        return { kind: "message", message: await ask() };
      } catch (error) {
        failure = failureOf(error, now());
      }
    }
    const waitMs = waitBeforeRetry(failure, { attempt, settings, random });
    if (waitMs === undefined) return { kind: "error", failure };
    tellObserver(call.onRetry, { attempt, failure, waitMs });
    try {
      await sleep(waitMs, call.signal);
    } catch {
      // It was called off: the next attempt is not made.
    }
  }
}

/** Standard globals, as far as they are used here. */
declare function setTimeout(callback: () => void, milliseconds: number): unknown;
declare function clearTimeout(timer: unknown): void;

/** A framework hands no timer in, as it hands no clock in. */
const sleepOnMachine = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(end, milliseconds);
    function end(): void {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    }
    signal?.addEventListener("abort", end, { once: true });
  });
