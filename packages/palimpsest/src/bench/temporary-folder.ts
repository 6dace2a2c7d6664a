import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { whenStopped } from "./when-stopped.js";

export interface TemporaryFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/** A folder that is gone after `remove`, and also where the process is told to stop before. */
export async function makeTemporaryFolder(name: string): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), `palimpsest-${name}-`));
  const forget = whenStopped(() => rmSync(path, { recursive: true, force: true }));
  return {
    path,
    async remove() {
      forget();
      await rm(path, { recursive: true, force: true });
    },
  };
}
