import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve, sep } from "node:path";

const MAX_LINKS = 40;
/** No system opens a longer one. */
const MAX_PATH = 4096;

/**
 * Where an absolute path leads once links are followed, also for what is not there yet: a link whose target is
 * missing is followed all the same, because a write would go there. Asks the disk, without waiting for anybody.
 */
export function realPathOf(path: string, links = 0): string {
  if (path.length > MAX_PATH) return path;
  const isPresent = isThere(path);
  if (isPresent) {
    try {
      return realpathSync.native(path);
    } catch {
      // A link without a target, or a directory that may not be looked into.
    }
  }
  const parent = dirname(path);
  if (parent === path || links > MAX_LINKS) return path;
  const here = join(realPathOf(parent, isPresent ? links + 1 : links), basename(path));
  const target = isPresent ? linkTarget(here) : undefined;
  return target === undefined ? here : realPathOf(resolve(dirname(here), target), links + 1);
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** Something of this name is there, a link without a target included. */
export function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** The way from a directory to a path in or below it, both absolute and without detours; undefined for one elsewhere. */
export function wayInside(directory: string, path: string): string | undefined {
  if (path === directory) return "";
  const start = directory.endsWith(sep) ? directory : directory + sep;
  return path.startsWith(start) ? path.slice(start.length) : undefined;
}

/**
 * A path seen from a directory as it reads, and all that it may lead to: after a link, `..` is not what its name
 * says to whoever follows the link first.
 */
export function spellingsOf(directory: string, path: string): readonly string[] {
  const plain = resolve(directory, path);
  const followed = path.includes("..") ? [realPathOf(isAbsolute(path) ? path : `${directory}/${path}`)] : [];
  return Array.from(new Set([plain, realPathOf(plain), ...followed]));
}
