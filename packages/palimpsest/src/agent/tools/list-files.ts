import { readdir, type Dirent } from "node:fs";
import { realpath } from "node:fs/promises";
import { isAbsolute, join, relative, resolve } from "node:path";
import { isInside, rootsOf } from "../../files/open-inside.js";
import type { PathGuard } from "../base/path-guard.js";
import { createIgnoreFiles, type IgnoreFiles } from "../base/ignore-files.js";

export interface ListRequest {
  /** Absolute, as links lead, and inside the roots. */
  readonly directory: string;
  /** From `readGlobPattern`. */
  readonly pattern: string;
  /** A pattern of what is left out. */
  readonly except?: string | undefined;
  readonly signal: AbortSignal;
}

export interface ListedFiles {
  /** Relative to the directory, in the order of their names. */
  readonly names: readonly string[];
  /** Whether the tree was too large to be searched to its end. */
  readonly isCut: boolean;
}

const SKIPPED: ReadonlySet<string> = new Set([".git", ".hg", ".svn", "node_modules"]);
const MAX_ENTRIES = 200_000;

type ReadDirectory = (
  path: string,
  options: { withFileTypes: true },
  done: (error: NodeJS.ErrnoException | null, entries?: Dirent[]) => void,
) => void;

/**
 * Files below a directory that fit a pattern. Links are not followed, unless the pattern names one that stays inside
 * the roots; what git ignores, what is denied, and `node_modules` are passed over. Rejects when it is called off.
 */
export async function listFiles(guard: PathGuard, request: ListRequest): Promise<ListedFiles> {
  const { directory, pattern, except, signal } = request;
  const { glob } = await import("tinyglobby");
  const realRoots = await rootsOf(guard.disk, guard.bounds);
  const top = realRoots.find((root) => isInside(directory, [root])) ?? directory;
  let ignoreFiles: Promise<IgnoreFiles> | undefined;
  let entries = 0;

  /** What may be seen in a directory; nothing of one that lies elsewhere. */
  const visible = async (path: string): Promise<readonly Dirent[]> => {
    const real = await realpath(path);
    if (!isInside(real, realRoots) || guard.bounds.isDenied(real) || entries > MAX_ENTRIES) return [];
    const found = await new Promise<Dirent[]>((done, fail) => {
      readdir(real, { withFileTypes: true }, (error, list) => (error === null ? done(list) : fail(error)));
    });
    entries += found.length;
    const hasOwn = found.some((entry) => entry.name === ".gitignore" && entry.isFile());
    ignoreFiles ??= createIgnoreFiles({ files: guard.files, top, start: real });
    const isIgnored = await (await ignoreFiles).in(real, hasOwn);
    return found.filter((entry) => {
      const isDirectory = entry.isDirectory();
      if (!isDirectory && !entry.isFile()) return false;
      if (isDirectory && SKIPPED.has(entry.name)) return false;
      return !isIgnored(entry.name, isDirectory) && !guard.bounds.isDenied(join(real, entry.name));
    });
  };
  const readVisible: ReadDirectory = (path, _, done) => {
    visible(resolve(path)).then(
      (list) => done(null, [...list]),
      (error: unknown) => done(error as NodeJS.ErrnoException, []),
    );
  };
  const names = await glob(pattern, {
    cwd: directory,
    dot: true,
    extglob: false,
    expandDirectories: false,
    followSymbolicLinks: false,
    ...(except === undefined ? {} : { ignore: [except] }),
    fs: { readdir: readVisible as typeof readdir },
    signal,
  });
  signal.throwIfAborted();
  const inside = names.filter((name) => {
    const way = relative(directory, resolve(directory, name));
    return !way.startsWith("..") && !isAbsolute(way);
  });
  return { names: inside.toSorted(byCode), isCut: entries > MAX_ENTRIES };
}

const byCode = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);
