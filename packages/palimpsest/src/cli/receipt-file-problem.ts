import { access, constants, mkdir, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/** Why no receipt can be written to this file, as a sentence; undefined where it can. Makes the folder where there is none. */
export async function receiptFileProblem(file: string): Promise<string | undefined> {
  const path = resolve(file);
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await access(dirname(path), constants.W_OK | constants.X_OK);
  } catch (error) {
    return `--receipt ${file}: its folder must be one that can be written to (${(error as NodeJS.ErrnoException).code})`;
  }
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() === true) return `--receipt ${file}: it must be a file, and is a folder`;
  // It would be put in the place of a device or a pipe, or of the file that stdout goes to.
  return (found !== undefined && !found.isFile()) || /^\/(?:dev|proc)\//.test(path)
    ? `--receipt ${file}: it must be a file, and is a device or a pipe`
    : undefined;
}
