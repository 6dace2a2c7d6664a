/** How waiting for something ended. */
type Waited<Value> =
  | { readonly kind: "value"; readonly value: Value }
  | { readonly kind: "thrown"; readonly error: unknown }
  /** The caller called it off. */
  | { readonly kind: "aborted" }
  /** Too long nothing happened. */
  | { readonly kind: "idle" };

/** Waits for one thing at a time, until it comes, the caller's signal is aborted, or it takes too long. */
export interface Interruptible {
  readonly aborted: () => boolean;
  /** Never rejects. Without a limit it waits for as long as it takes. */
  wait<Value>(work: Promise<Value>, idleMs?: number): Promise<Waited<Value>>;
  /** There is life: the limit of the current wait counts from now. */
  readonly alive: () => void;
  /** Aborted together with the caller's signal, until the next one takes its place. */
  attach(controller: AbortController): void;
  /** Leaves nothing behind on the caller's signal. */
  release(): void;
}

/** Node's timers go off at once when they are set for longer. */
export const LONGEST_TIMER = 2 ** 31 - 1;

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
    wait: (work, idleMs) =>
      new Promise((resolve) => {
        let isOver = false;
        const finish = (result: Parameters<typeof resolve>[0]): void => {
          if (isOver) return;
          isOver = true;
          clearTimeout(timer);
          timer = undefined;
          interrupt = () => {};
          resolve(result);
        };
        work.then(
          (value) => finish({ kind: "value", value }),
          (error: unknown) => finish({ kind: "thrown", error }),
        );
        interrupt = () => finish({ kind: "aborted" });
        if (aborted()) return interrupt();
        if (idleMs !== undefined && idleMs > 0 && idleMs < Infinity) {
          timer = setTimeout(() => finish({ kind: "idle" }), Math.min(idleMs, LONGEST_TIMER));
        }
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
