/** Tells whoever listens. One that throws is its own problem. */
export function tellObserver<T, R>(observer: ((value: T) => R) | undefined, value: T): R | undefined {
  try {
    return observer?.(value);
  } catch {
    return undefined;
  }
}
