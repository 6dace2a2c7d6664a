/** Resolves when somebody asks this process to stop, by Ctrl-C or a signal. */
export const stopAsked = (): Promise<void> =>
  new Promise((resolve) => {
    const stop = (): void => {
      process.off("SIGINT", stop);
      process.off("SIGTERM", stop);
      resolve();
    };
    process.on("SIGINT", stop);
    process.on("SIGTERM", stop);
  });
