import type { ApiFailure, CallOptions, CallProgress, ModelOutput, StreamOutput } from "@palimpsest/core";
import {
  defaultRetrySettings,
  resolveRetrySettings,
  waitBeforeRetry,
  type RetryPorts,
  type RetrySettings,
} from "@palimpsest/core/protocols";
import { setTimeout as timeout } from "node:timers/promises";
import {
  aborted,
  cutShort,
  idle,
  stalled,
  thrownFailure,
  violationFailure,
  withLongWait,
} from "./failures.js";
import { createInterruptible, LONGEST_TIMER, type Interruptible } from "./interruptible.js";

export { defaultRetrySettings, type RetryPorts, type RetrySettings };

export interface RetryOptions {
  readonly call?: CallOptions;
  readonly settings?: Partial<RetrySettings>;
  readonly ports?: Partial<RetryPorts>;
  /** How long an attempt may say nothing. 0 or Infinity: as long as it likes. */
  readonly idleTimeoutMs?: number;
  /** How long an attempt may give signs of life and nothing of an answer. 0 or Infinity: as long as it likes. */
  readonly stallTimeoutMs?: number;
  /** Where calls go, for what is said of connections that fail. */
  readonly address?: string | URL;
}

/**
 * One try. It may throw and may yield violations. The signal is aborted when nobody wants the rest: the
 * connection has to be closed then. `alive` says that something came that is no output, such as a ping; `sent` that
 * the request goes out now.
 */
export type Attempt = (
  signal: AbortSignal,
  alive: () => void,
  sent: () => void,
) => AsyncIterable<StreamOutput>;

export const DEFAULT_IDLE_TIMEOUT_MS = 300_000;
/** Models think for minutes with nothing but pings. */
const DEFAULT_STALL_TIMEOUT_MS = 1_800_000;

/** How long a connection may take to end after a complete message, so that it can be used again. */
const ENDING_MS = 200;

/**
 * Runs attempts until one yields content or fails for good. Never throws: the last output is a `message` or an
 * `error`. `start` and `block-start` are held back until content follows, so an attempt that fails before is as
 * if it had never been; one that fails later ends the stream. The caller's signal ends it at any moment, with the
 * failure `aborted`; whoever stops reading ends it too.
 */
export async function* streamWithRetries(
  attempt: Attempt,
  options: RetryOptions,
): AsyncGenerator<ModelOutput> {
  const { call = {}, address } = options;
  const { idleTimeoutMs = DEFAULT_IDLE_TIMEOUT_MS, stallTimeoutMs = DEFAULT_STALL_TIMEOUT_MS } = options;
  const settings = resolveRetrySettings(options.settings);
  const ports: RetryPorts = { sleep: defaultSleep, random: Math.random, ...options.ports };
  const caller = createInterruptible(call.signal);
  try {
    for (let number = 1; ; number += 1) {
      const ending: Ending = caller.aborted()
        ? { kind: "failed", failure: aborted, isFinal: true }
        : yield* runAttempt(attempt, {
            caller,
            idleTimeoutMs,
            stallTimeoutMs,
            address,
            progress: (made) => tellProgress(call, made),
          });
      if (ending.kind === "complete") return;
      const failure = caller.aborted() ? aborted : ending.failure;
      const failed = { attempt: number, settings, random: ports.random };
      const waitMs = ending.isFinal ? undefined : waitBeforeRetry(failure, failed);
      if (waitMs === undefined) {
        yield { kind: "error", failure: withLongWait(failure, settings.maxRetryAfterMs) };
        return;
      }
      tell(call, { attempt: number, failure, waitMs });
      await caller.wait(sleepFor(ports, { waitMs, signal: call.signal }));
    }
  } finally {
    caller.release();
  }
}

type Ending =
  | { readonly kind: "complete" }
  /** Final: content was yielded. */
  | { readonly kind: "failed"; readonly failure: ApiFailure; readonly isFinal: boolean };

interface Running {
  readonly caller: Interruptible;
  readonly idleTimeoutMs: number;
  readonly stallTimeoutMs: number;
  readonly address: string | URL | undefined;
  readonly progress: (made: CallProgress) => void;
}

async function* runAttempt(
  attempt: Attempt,
  { caller, idleTimeoutMs, stallTimeoutMs, address, progress }: Running,
): AsyncGenerator<ModelOutput, Ending> {
  const controller = new AbortController();
  caller.attach(controller);
  let iterator: AsyncIterator<StreamOutput> | undefined;
  let ending: Promise<boolean> | undefined;
  /** Undefined once there was content. */
  let held: ModelOutput[] | undefined = [];
  const failed = (failure: ApiFailure): Ending => ({
    kind: "failed",
    failure,
    isFinal: held === undefined,
  });
  try {
    const alive = (): void => {
      if (ending === undefined && !controller.signal.aborted) caller.alive();
    };
    // Nothing is told of an attempt that was given up.
    const sent = (): void => {
      if (!controller.signal.aborted) progress({ kind: "sent" });
    };
    iterator = attempt(controller.signal, alive, sent)[Symbol.asyncIterator]();
    for (;;) {
      const step = await caller.wait(nextOf(iterator), { idleMs: idleTimeoutMs, stallMs: stallTimeoutMs });
      if (step.kind === "aborted") return failed(aborted);
      if (step.kind === "idle") return failed(idle(idleTimeoutMs));
      if (step.kind === "stalled") return failed(stalled(stallTimeoutMs));
      if (step.kind === "thrown") return failed(thrownFailure(step.error, address));
      if (step.value.done === true) return failed(cutShort);
      const output: StreamOutput = step.value.value;
      if (output.kind === "error") return failed(output.failure);
      if (output.kind === "violation") return failed(violationFailure(output.violation));
      if (output.kind === "start" || output.kind === "usage") progress(output);
      if (output.kind === "usage") continue;
      if (held !== undefined) {
        if (output.kind === "start" || output.kind === "block-start") {
          held.push(output);
          continue;
        }
        const early: readonly ModelOutput[] = held;
        held = undefined;
        for (const start of early) {
          yield start;
          if (caller.aborted()) return failed(aborted);
        }
      }
      if (output.kind === "message") {
        ending = readToEnd(iterator, controller.signal);
        yield output;
        return { kind: "complete" };
      }
      yield output;
    }
  } catch (error) {
    return failed(thrownFailure(error, address));
  } finally {
    const ended = ending && (await caller.wait(ending, { idleMs: ENDING_MS }));
    const isWhole = ended?.kind === "value" && ended.value;
    controller.abort(isWhole ? complete : undefined);
    if (iterator !== undefined && !isWhole) leave(iterator);
  }
}

/** Why an attempt that came to its end is called off: one reason for all, without a stack of its own. */
const complete = new DOMException("the answer is complete", "AbortError");

/** An iterator that is no generator may throw at once. */
const nextOf = async (iterator: AsyncIterator<StreamOutput>): Promise<IteratorResult<StreamOutput>> =>
  iterator.next();

/** Whether it came to its end. Never rejects. */
async function readToEnd(iterator: AsyncIterator<StreamOutput>, signal: AbortSignal): Promise<boolean> {
  try {
    while (!signal.aborted) if ((await iterator.next()).done === true) return true;
  } catch {
    // The message is complete: how its connection ends is of no interest.
  }
  return false;
}

/** Not waited for: an attempt that does not heed its signal would hold everything up. */
function leave(iterator: AsyncIterator<StreamOutput>): void {
  const left = (async () => iterator.return?.())();
  left.catch(() => {});
}

/** An observer that throws is its own problem. */
function tell({ onRetry }: CallOptions, retry: Parameters<NonNullable<CallOptions["onRetry"]>>[0]): void {
  try {
    onRetry?.(retry);
  } catch {
    // See above.
  }
}

function tellProgress({ onProgress }: CallOptions, made: CallProgress): void {
  try {
    onProgress?.(made);
  } catch {
    // See above.
  }
}

interface Sleep {
  readonly waitMs: number;
  readonly signal: AbortSignal | undefined;
}

const sleepFor = async ({ sleep }: RetryPorts, { waitMs, signal }: Sleep): Promise<void> =>
  sleep(waitMs, signal);

async function defaultSleep(ms: number, signal?: AbortSignal): Promise<void> {
  await timeout(Math.min(ms, LONGEST_TIMER), undefined, signal === undefined ? {} : { signal });
}
