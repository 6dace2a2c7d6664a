import { access, constants, mkdir } from "node:fs/promises";
import { resolve } from "node:path";

/** Why nothing can be recorded in a folder, which is made where it is not there; undefined where it can. */
export async function recordFolderProblem(folder: string): Promise<string | undefined> {
  try {
    await mkdir(resolve(folder), { recursive: true, mode: 0o700 });
    await access(resolve(folder), constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    return `--record ${folder}: it must be a folder that can be written to (${code})`;
  }
}
