import { constants } from "node:fs";
import { basename, dirname, join } from "node:path";
import { diskCode, type WritableDisk, type WritableDiskFile } from "./disk.js";
import { close, isInside, pathOfOpen, refusalOf, rootsOf, type Bounds, type Refused } from "./open-inside.js";

/** A directory that is held open. Whoever gets one closes it. */
export interface OpenDirectory {
  readonly kind: "directory";
  /**
   * The path of a name in it. Where the system can say what is open this leads through what is open: a link that
   * takes the directory's place later leads nobody astray.
   */
  readonly at: (name: string) => string;
  /** The directory itself, in the same way. */
  readonly self: string;
  readonly fd: number;
  /** What was made or renamed in it is on the disk; nothing happens where the system does not offer it. */
  readonly sync: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface DirectoryOptions {
  readonly bounds: Bounds;
  /** Whether it is made, with those above it, where it is not there. */
  readonly isMade?: boolean;
}

interface Walk {
  readonly disk: WritableDisk;
  readonly bounds: Bounds;
  readonly realRoots: readonly string[];
  readonly isMade: boolean;
}

/** The last part is no link, and nothing but a directory. */
const FLAGS =
  constants.O_RDONLY |
  (constants.O_DIRECTORY ?? 0) |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);

/** Opens a directory that lies inside the roots. `path` is absolute and has no links in it. */
export async function openDirectoryInside(
  disk: WritableDisk,
  path: string,
  { bounds, isMade = false }: DirectoryOptions,
): Promise<OpenDirectory | Refused> {
  return openBelow({ disk, bounds, isMade, realRoots: await rootsOf(disk, bounds) }, path);
}

async function openBelow(walk: Walk, path: string): Promise<OpenDirectory | Refused> {
  if (!isInside(path, walk.realRoots)) return { kind: "outside" };
  if (walk.bounds.isDenied(path)) return { kind: "denied" };
  try {
    return await verified(walk, path, await walk.disk.open(path, FLAGS));
  } catch (error) {
    if (walk.isMade && diskCode(error) === "ENOENT") return makeBelow(walk, path);
    return { kind: refusalOf(error) };
  }
}

/** Makes the directory in the one above it, which is held open until then. */
async function makeBelow(walk: Walk, path: string): Promise<OpenDirectory | Refused> {
  const above = await openBelow(walk, dirname(path));
  if (above.kind !== "directory") return above;
  try {
    await walk.disk.mkdir(above.at(basename(path))).catch((error: unknown) => {
      if (diskCode(error) !== "EEXIST") throw error;
    });
    return await verified(walk, path, await walk.disk.open(above.at(basename(path)), FLAGS));
  } catch (error) {
    return { kind: refusalOf(error) };
  } finally {
    await above.close();
  }
}

/** What is open is asked where it lies; where nobody can say, the path has to lead to it still. */
async function verified(walk: Walk, path: string, file: WritableDiskFile): Promise<OpenDirectory | Refused> {
  const { disk, bounds, realRoots } = walk;
  try {
    const opened = await pathOfOpen(disk, file);
    if (opened === undefined ? !(await leadsTo(disk, path, file)) : !isInside(opened, realRoots)) {
      await close(file);
      return { kind: "outside" };
    }
    if (opened !== undefined && bounds.isDenied(opened)) {
      await close(file);
      return { kind: "denied" };
    }
    const self = opened === undefined ? path : `/proc/self/fd/${file.fd}`;
    return {
      kind: "directory",
      at: (name) => join(self, name),
      self,
      fd: file.fd,
      // Some file systems refuse; the files in it are whole either way.
      sync: () => file.sync().catch(() => {}),
      close: () => close(file),
    };
  } catch (error) {
    await close(file);
    throw error;
  }
}

async function leadsTo(disk: WritableDisk, path: string, file: WritableDiskFile): Promise<boolean> {
  const [real, now, status] = await Promise.all([disk.realpath(path), disk.stat(path), file.stat()]);
  return real === path && now.dev === status.dev && now.ino === status.ino;
}
