/** By signal, who is told: to the signal they are one listener, because Node warns of more than ten. */
const told = new WeakMap<AbortSignal, Listeners>();

interface Listeners {
  readonly all: Set<() => void>;
  readonly end: () => void;
}

/** Calls `heard` when the signal is aborted, however many wait for it. Gives what ends that. */
export function onAbort(signal: AbortSignal | undefined, heard: () => void): () => void {
  if (signal === undefined) return () => {};
  const { all, end } = told.get(signal) ?? listenTo(signal);
  all.add(heard);
  return () => {
    all.delete(heard);
    if (all.size === 0) end();
  };
}

/** Resolves after so many milliseconds, or with the signal. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      end();
      resolve();
    };
    const end = onAbort(signal, done);
    const timer = setTimeout(done, ms);
  });
}

function listenTo(signal: AbortSignal): Listeners {
  const all = new Set<() => void>();
  const tell = (): void => {
    for (const heard of all) heard();
  };
  const listeners: Listeners = {
    all,
    end: () => {
      signal.removeEventListener("abort", tell);
      told.delete(signal);
    },
  };
  told.set(signal, listeners);
  signal.addEventListener("abort", tell, { once: true });
  return listeners;
}
