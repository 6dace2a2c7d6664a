import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export interface TemporaryFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/** A folder that is gone after `remove`, and also where the process is told to stop before. */
export async function makeTemporaryFolder(name: string): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), `palimpsest-${name}-`));
  const forget = (): void => {
    for (const signal of signals) process.removeListener(signal, stop);
  };
  const stop = (signal: NodeJS.Signals): void => {
    rmSync(path, { recursive: true, force: true });
    forget();
    process.kill(process.pid, signal);
  };
  for (const signal of signals) process.once(signal, stop);
  return {
    path,
    async remove() {
      forget();
      await rm(path, { recursive: true, force: true });
    },
  };
}
