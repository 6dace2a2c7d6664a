/**
 * What the work comes to. After an abort it has so long to come to an end of its own, with what it has so far; then
 * nobody waits for it any longer, and this rejects with the message.
 */
export async function untilAborted<T>(
  work: Promise<T>,
  {
    signal,
    graceMs,
    message,
  }: { readonly signal: AbortSignal; readonly graceMs: number; readonly message: string },
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let onAbort = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => {
      timer = setTimeout(() => reject(new Error(message)), graceMs);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
  // Whoever comes second is heard by nobody.
  work.catch(() => {});
  aborted.catch(() => {});
  try {
    return await Promise.race([work, aborted]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}
