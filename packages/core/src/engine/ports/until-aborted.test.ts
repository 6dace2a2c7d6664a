import { describe, expect, it } from "vitest";
import { Aborted, throwIfAborted, untilAborted } from "./until-aborted.js";

/** A signal that counts who listens. */
function createSignal() {
  const listeners = new Set<() => void>();
  let aborted = false;
  return {
    listeners,
    abort: () => {
      aborted = true;
      for (const listener of listeners) listener();
      listeners.clear();
    },
    signal: {
      get aborted() {
        return aborted;
      },
      addEventListener: (_type: "abort", listener: () => void) => void listeners.add(listener),
      removeEventListener: (_type: "abort", listener: () => void) => void listeners.delete(listener),
    } as AbortSignal,
  };
}

const settled = (): Promise<void> => new Promise((resolve) => void Promise.resolve().then(() => resolve()));

describe("waiting until it is called off", () => {
  it("gives what was waited for, without or with a signal", async () => {
    const { signal, listeners } = createSignal();
    await expect(untilAborted(Promise.resolve(1), undefined)).resolves.toBe(1);
    await expect(untilAborted(Promise.resolve(2), signal)).resolves.toBe(2);
    await expect(untilAborted(Promise.reject(new Error("no")), signal)).rejects.toThrow("no");
    await settled();
    expect(listeners.size).toBe(0);
  });

  it("ends at once for what never ends", async () => {
    const { signal, abort } = createSignal();
    const waiting = untilAborted(new Promise(() => {}), signal);
    abort();
    await expect(waiting).rejects.toBeInstanceOf(Aborted);
  });

  it("leaves no listener behind where it was called off before", async () => {
    const { signal, abort, listeners } = createSignal();
    abort();
    await expect(untilAborted(new Promise(() => {}), signal)).rejects.toBeInstanceOf(Aborted);
    expect(listeners.size).toBe(0);
    expect(() => throwIfAborted(signal)).toThrow(Aborted);
    expect(() => throwIfAborted(undefined)).not.toThrow();
  });

  it("does not care what comes too late", async () => {
    const { signal, abort } = createSignal();
    let reject: (error: unknown) => void = () => {};
    const waiting = untilAborted(new Promise((_, fail) => (reject = fail)), signal);
    abort();
    reject(new Error("too late"));
    await expect(waiting).rejects.toBeInstanceOf(Aborted);
  });
});
