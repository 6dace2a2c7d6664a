/** How waiting for something ended. */
type Waited<Value> =
  | { readonly kind: "value"; readonly value: Value }
  | { readonly kind: "thrown"; readonly error: unknown }
  /** The caller called it off. */
  | { readonly kind: "aborted" }
  /** Too long nothing happened. */
  | { readonly kind: "idle" }
  /** Too long there was life, and nothing else. */
  | { readonly kind: "stalled" };

interface WaitLimits {
  /** Counts from the last sign of life. Without it, or 0: as long as it takes. */
  readonly idleMs?: number;
  /** Counts from the beginning of the wait, whatever signs of life there are. */
  readonly stallMs?: number;
}

/** Waits for one thing at a time, until it comes, the caller's signal is aborted, or it takes too long. */
export interface Interruptible {
  readonly aborted: () => boolean;
  /** Never rejects. Without a limit it waits for as long as it takes. */
  wait<Value>(work: Promise<Value>, limits?: WaitLimits): Promise<Waited<Value>>;
  /** There is life: the limit of the current wait counts from now. */
  readonly alive: () => void;
  /** Aborted together with the caller's signal, until the next one takes its place. */
  attach(controller: AbortController): void;
  /** Leaves nothing behind on the caller's signal. */
  release(): void;
}

/** Node's timers go off at once when they are set for longer. */
export const LONGEST_TIMER = 2 ** 31 - 1;

function timerFor(milliseconds: number | undefined, go: () => void): NodeJS.Timeout | undefined {
  if (milliseconds === undefined || !(milliseconds > 0) || milliseconds === Infinity) return undefined;
  return setTimeout(go, Math.min(milliseconds, LONGEST_TIMER));
}

export function createInterruptible(signal: AbortSignal | undefined): Interruptible {
  let attached: AbortController | undefined;
  let timer: NodeJS.Timeout | undefined;
  let interrupt = (): void => {};
  const onAbort = (): void => {
    attached?.abort();
    interrupt();
  };
  signal?.addEventListener("abort", onAbort);
  const aborted = (): boolean => signal?.aborted === true;

  return {
    aborted,
    wait: (work, { idleMs, stallMs } = {}) =>
      new Promise((resolve) => {
        let isOver = false;
        let stall: NodeJS.Timeout | undefined;
        const finish = (result: Parameters<typeof resolve>[0]): void => {
          if (isOver) return;
          isOver = true;
          clearTimeout(timer);
          timer = undefined;
          clearTimeout(stall);
          interrupt = () => {};
          resolve(result);
        };
        work.then(
          (value) => finish({ kind: "value", value }),
          (error: unknown) => finish({ kind: "thrown", error }),
        );
        interrupt = () => finish({ kind: "aborted" });
        if (aborted()) return interrupt();
        timer = timerFor(idleMs, () => finish({ kind: "idle" }));
        stall = timerFor(stallMs, () => finish({ kind: "stalled" }));
      }),
    alive() {
      timer?.refresh();
    },
    attach(controller) {
      attached = controller;
    },
    release() {
      signal?.removeEventListener("abort", onAbort);
    },
  };
}
