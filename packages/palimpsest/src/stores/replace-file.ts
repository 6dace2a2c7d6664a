import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

/** The one call that makes a new text the file's, so that a test can let it fail. */
export type Rename = (from: string, to: string) => Promise<void>;

/**
 * Writes a private file whole and swaps it in: a crash leaves the old one, and once this resolves the new one is on
 * the disk. What an earlier crash left beside it is overwritten, and what could not be written is not left there.
 */
export async function replaceFile(path: string, content: string, swap: Rename = rename): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  const directory = dirname(path);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const file = await open(temporary, "w", 0o600);
  try {
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await swap(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
  await syncDirectory(directory);
}

/** A rename is on the disk once its directory is; where directories cannot be opened there is nothing to do. */
async function syncDirectory(directory: string): Promise<void> {
  const opened = await open(directory, "r").catch(() => undefined);
  if (opened === undefined) return;
  try {
    await opened.sync();
  } catch {
    // Some file systems refuse; the file itself is whole either way.
  } finally {
    await opened.close();
  }
}
