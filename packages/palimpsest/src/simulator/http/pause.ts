const LONGEST_TIMER = 2 ** 31 - 1;

/** Waits; false as soon as the signal says that nobody waits any more. Leaves neither timer nor listener behind. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  if (!(milliseconds > 0)) return Promise.resolve(true);
  return new Promise((resolve) => {
    const finish = (elapsed: boolean): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      resolve(elapsed);
    };
    const onAbort = (): void => finish(false);
    const timer = setTimeout(() => finish(true), Math.min(milliseconds, LONGEST_TIMER));
    signal.addEventListener("abort", onAbort);
  });
}
