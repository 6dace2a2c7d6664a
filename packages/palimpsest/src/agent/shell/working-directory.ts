import { realpathSync, statSync } from "node:fs";
import { isAbsolute, resolve, sep } from "node:path";
import { isInside } from "../../files/open-inside.js";

export interface WorkingDirectoryOptions {
  /** Where it starts, and where it goes back to. */
  readonly start: string;
  /** What it may not leave, as far as links lead. */
  readonly roots: readonly string[];
}

/** Where an agent's shell stands, from one command to the next. */
export interface WorkingDirectory {
  readonly current: () => string;
  /** Goes there, if that is a directory inside the roots. False otherwise, and it stays. */
  readonly moveTo: (directory: string) => boolean;
  /** Goes back to the start. */
  readonly reset: () => void;
  /** Whether what a word names, seen from here, lies inside the roots; what is not there yet is judged by its name. */
  readonly holds: (path: string) => boolean;
}

export function createWorkingDirectory({ start, roots }: WorkingDirectoryOptions): WorkingDirectory {
  const first = resolve(start);
  let current = first;
  const realRoots = (): readonly string[] => roots.flatMap((root) => realPath(root) ?? []);
  const holds = (path: string): boolean => {
    // As it stands: after a link, `..` is not what its name says.
    const real = realPath(isAbsolute(path) ? path : `${current}${sep}${path}`);
    return real === undefined
      ? isInside(resolve(current, path), [...roots.map((root) => resolve(root)), ...realRoots()])
      : isInside(real, realRoots());
  };
  return {
    current: () => current,
    moveTo(directory) {
      const real = realPath(directory);
      if (real === undefined || !isInside(real, realRoots())) return false;
      if (statSync(real, { throwIfNoEntry: false })?.isDirectory() !== true) return false;
      current = real;
      return true;
    },
    reset() {
      current = first;
    },
    holds,
  };
}

/** Undefined for what is not there, or cannot be followed. */
function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
