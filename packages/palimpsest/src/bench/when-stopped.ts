const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Cleans up where the process is told to stop, and then lets it stop. Gives back what takes that back. */
export function whenStopped(cleanUp: () => void): () => void {
  const forget = (): void => {
    for (const signal of signals) process.removeListener(signal, stop);
  };
  const stop = (signal: NodeJS.Signals): void => {
    cleanUp();
    forget();
    process.kill(process.pid, signal);
  };
  for (const signal of signals) process.once(signal, stop);
  return forget;
}
