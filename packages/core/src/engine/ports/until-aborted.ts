/** What is awaited was called off. */
export class Aborted extends Error {
  constructor() {
    super("called off");
    this.name = "Aborted";
  }
}

/** Throws `Aborted` once the signal says so. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new Aborted();
}

/** The promise, or `Aborted` as soon as the signal says so; what the promise does later is nobody's concern. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(new Aborted());
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
