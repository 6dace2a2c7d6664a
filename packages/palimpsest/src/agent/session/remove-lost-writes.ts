import { readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { openDirectoryInside } from "../../files/open-directory-inside.js";
import { writerOfTemporary } from "../../files/temporary-name.js";
import { isFields } from "../base/fields.js";
import type { PathGuard } from "../base/path-guard.js";
import type { OpenCall } from "./open-calls.js";

const WRITING_TOOLS: ReadonlySet<unknown> = new Set(["Write", "Edit"]);

/**
 * Removes what calls that were never finished left beside the files that they were about to change: the new text,
 * not yet in its place. Only what a process that is gone has left. Never rejects.
 */
export async function removeLostWrites(calls: readonly OpenCall[], guard: PathGuard): Promise<void> {
  const paths = calls
    .filter(({ name }) => WRITING_TOOLS.has(name))
    .map(({ input }) => (isFields(input) ? input["file_path"] : undefined))
    .filter((path) => typeof path === "string");
  const directories = new Set<string>();
  for (const path of paths) {
    const judged = await guard.resolve(path, "write");
    if (judged.kind === "allowed") directories.add(dirname(judged.real));
  }
  for (const directory of directories) await sweep(directory, guard).catch(() => {});
}

async function sweep(path: string, { disk, bounds }: PathGuard): Promise<void> {
  const directory = await openDirectoryInside(disk, path, { bounds });
  if (directory.kind !== "directory") return;
  try {
    for (const name of await readdir(directory.self)) {
      const writer = writerOfTemporary(name);
      if (writer !== undefined && !isRunning(writer)) await disk.unlink(directory.at(name));
    }
  } finally {
    await directory.close();
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
