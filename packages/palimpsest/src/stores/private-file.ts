import { mkdir, open, type FileHandle } from "node:fs/promises";
import { join } from "node:path";

export interface PrivateFile {
  readonly path: string;
  /** Open for writing; whoever asked for it closes it. */
  readonly file: FileHandle;
}

const MAX_TRIES = 1000;

/**
 * A new file that only this user can read, in a directory that only this user can enter; the directory is made if
 * it is not there. Never opens what is there already, not through a link either. Rejects as the disk does.
 */
export async function createPrivateFile(directory: string, name: string): Promise<PrivateFile> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const stem = fileStem(name);
  for (let tries = 1; ; tries++) {
    const path = join(directory, tries === 1 ? `${stem}.txt` : `${stem}-${tries}.txt`);
    try {
      return { path, file: await open(path, "wx", 0o600) };
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === "EEXIST";
      if (!isTaken || tries >= MAX_TRIES) throw error;
    }
  }
}

/** What of a name can stand in a path. */
const fileStem = (name: string): string => name.replaceAll(/[^A-Za-z0-9_-]+/g, "-").slice(0, 60) || "output";
