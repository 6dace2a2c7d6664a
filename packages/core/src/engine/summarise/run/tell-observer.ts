/** Tells whoever listens. One that throws is its own problem. */
export function tellObserver<T>(observer: ((value: T) => void) | undefined, value: T): void {
  try {
    observer?.(value);
  } catch {
    // See above.
  }
}
