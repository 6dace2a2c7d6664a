import { constants } from "node:fs";
import { basename, dirname } from "node:path";
import type { FileRefusal } from "@palimpsest/core/restore";
import { diskCode, type DiskEntry, type WritableDisk } from "./disk.js";
import { openDirectoryInside, type OpenDirectory } from "./open-directory-inside.js";
import { close, type Bounds } from "./open-inside.js";
import { temporaryName } from "./temporary-name.js";

export interface WriteRequest {
  readonly bounds: Bounds;
  readonly content: Uint8Array;
  /** When the file that is replaced was last changed; undefined where there must be none yet. */
  readonly replaces: number | undefined;
}

export type WriteOutcome =
  | { readonly kind: "written"; readonly mtime: number }
  /** What stands there is not what is replaced: changed, gone, or new. */
  | { readonly kind: "changed" }
  | { readonly kind: "failed"; readonly code: string }
  | { readonly kind: FileRefusal };

const FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/**
 * Writes a file inside the roots whole: beside it, to the disk, then in its place, so that everybody sees the old
 * text or the new one. Directories that are missing are made. A file keeps its mode, and its owner where that may
 * be. `path` is absolute and has no links in it; one that takes its place meanwhile is replaced, never followed.
 */
export async function writeInside(
  disk: WritableDisk,
  path: string,
  request: WriteRequest,
): Promise<WriteOutcome> {
  const isMade = request.replaces === undefined;
  const directory = await openDirectoryInside(disk, dirname(path), { bounds: request.bounds, isMade });
  if (directory.kind !== "directory") return directory;
  try {
    return await writeIn(disk, directory, { name: basename(path), ...request });
  } catch (error) {
    return { kind: "failed", code: diskCode(error) ?? "unknown error" };
  } finally {
    await directory.close();
  }
}

async function writeIn(
  disk: WritableDisk,
  directory: OpenDirectory,
  { name, content, replaces }: WriteRequest & { readonly name: string },
): Promise<WriteOutcome> {
  const target = directory.at(name);
  const before = await entryAt(disk, target);
  if (!isExpected(before, replaces)) return { kind: "changed" };
  const temporary = directory.at(temporaryName());
  const file = await disk.open(temporary, FLAGS, before === undefined ? 0o666 : 0o600);
  try {
    try {
      if (before !== undefined) {
        // Only the system's administrator can give files away; then the file is the writer's.
        await file.chown(before.uid, before.gid).catch(() => {});
        await file.chmod(before.mode & 0o7777);
      }
      await file.writeFile(content);
      await file.sync();
    } finally {
      await close(file);
    }
    if (!isExpected(await entryAt(disk, target), replaces)) {
      await disk.unlink(temporary);
      return { kind: "changed" };
    }
    await disk.rename(temporary, target);
  } catch (error) {
    await disk.unlink(temporary).catch(() => {});
    throw error;
  }
  await directory.sync();
  return { kind: "written", mtime: (await disk.lstat(target)).mtimeMs };
}

const isExpected = (entry: DiskEntry | undefined, replaces: number | undefined): boolean =>
  entry === undefined
    ? replaces === undefined
    : replaces !== undefined && entry.isFile() && entry.mtimeMs === replaces;

async function entryAt(disk: WritableDisk, path: string): Promise<DiskEntry | undefined> {
  try {
    return await disk.lstat(path);
  } catch (error) {
    if (diskCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
