import { constants } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import type { FileRefusal } from "@palimpsest/core/restore";
import { diskCode, type Disk, type DiskFile, type DiskStatus } from "./disk.js";
import type { PathMatcher } from "./path-patterns.js";

/** What an agent may see. */
export interface Bounds {
  /** Absolute. */
  readonly roots: readonly string[];
  /** Told the path as it was given, and as links lead. */
  readonly isDenied: PathMatcher;
}

export interface LocatedFile {
  readonly kind: "file";
  /** As links lead. */
  readonly realPath: string;
  readonly status: DiskStatus;
  readonly realRoots: readonly string[];
}

export interface OpenedFile {
  readonly kind: "open";
  readonly file: DiskFile;
  readonly status: DiskStatus;
}

export interface Refused {
  readonly kind: FileRefusal;
}

/** A pipe or a device does not make it wait, and the last part of the path is not a link any more. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

/** What a failed call says about the file. */
export function refusalOf(error: unknown): FileRefusal {
  switch (diskCode(error)) {
    case "ENOENT":
    case "ENOTDIR":
      return "gone";
    case "EACCES":
    case "EPERM":
      return "denied";
    default:
      return "unreadable";
  }
}

/** Finds a file and judges it, without opening anything. `path` is absolute. */
export async function locate(disk: Disk, path: string, bounds: Bounds): Promise<LocatedFile | Refused> {
  const realRoots = await rootsOf(disk, bounds);
  if (bounds.isDenied(path)) return { kind: "denied" };
  let realPath: string;
  try {
    realPath = await disk.realpath(path);
  } catch (error) {
    const isMeant = isInside(path, [...realRoots, ...bounds.roots]);
    return { kind: isMeant ? refusalOf(error) : "outside" };
  }
  if (!isInside(realPath, realRoots)) return { kind: "outside" };
  if (bounds.isDenied(realPath)) return { kind: "denied" };
  try {
    const status = await disk.stat(realPath);
    return status.isFile() ? { kind: "file", realPath, status, realRoots } : { kind: "unreadable" };
  } catch (error) {
    return { kind: refusalOf(error) };
  }
}

/**
 * Opens a file that lies inside the roots, and makes sure that what is open does: a link that takes its place, or
 * the place of a directory above it, between the question and the opening is found out. Whoever gets an open file
 * closes it.
 */
export async function openInside(disk: Disk, path: string, bounds: Bounds): Promise<OpenedFile | Refused> {
  const located = await locate(disk, path, bounds);
  if (located.kind !== "file") return located;
  let file: DiskFile;
  try {
    file = await disk.open(located.realPath, FLAGS);
  } catch (error) {
    // The last part has become a link since.
    return { kind: diskCode(error) === "ELOOP" ? "outside" : refusalOf(error) };
  }
  try {
    const status = await file.stat();
    const refusal = status.isFile() ? await escaped(disk, file, { located, status, bounds }) : "unreadable";
    if (refusal === undefined) return { kind: "open", file, status };
    await close(file);
    return { kind: refusal };
  } catch (error) {
    await close(file);
    return { kind: refusalOf(error) };
  }
}

/** That a file cannot be closed changes nothing of what was read. */
export const close = (file: DiskFile): Promise<void> => file.close().catch(() => {});

/** Where the system can say what is open it is asked; elsewhere the path has to lead to the same file still. */
async function escaped(
  disk: Disk,
  file: DiskFile,
  { located, status, bounds }: { located: LocatedFile; status: DiskStatus; bounds: Bounds },
): Promise<FileRefusal | undefined> {
  const opened = await pathOfOpen(disk, file);
  if (opened !== undefined) {
    if (!isInside(opened, located.realRoots)) return "outside";
    return bounds.isDenied(opened) ? "denied" : undefined;
  }
  const again = await disk.realpath(located.realPath);
  const now = await disk.stat(again);
  const isSame = again === located.realPath && now.dev === status.dev && now.ino === status.ino;
  return isSame ? undefined : "outside";
}

/** Where the system says that something open lies; undefined where it cannot say. */
export async function pathOfOpen(disk: Disk, file: Pick<DiskFile, "fd">): Promise<string | undefined> {
  try {
    const path = await disk.readlink(`/proc/self/fd/${file.fd}`);
    return isAbsolute(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

/** The roots as links lead. Those that are not there hold nothing. */
export async function rootsOf(disk: Disk, { roots }: Bounds): Promise<readonly string[]> {
  const real = await Promise.all(roots.map((root) => disk.realpath(root).catch(() => undefined)));
  return real.flatMap((root) => root ?? []);
}

/** Whether a path is one of the roots or lies below one; it is taken as it is written. */
export const isInside = (path: string, roots: readonly string[]): boolean =>
  roots.some((root) => {
    const way = relative(root, resolve(path));
    return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
  });
