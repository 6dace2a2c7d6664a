import { lstat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { realPathOf, wayInside } from "./real-path.js";

/**
 * The directories of a project that lead to one of them: the repository's root (which holds `.git`) first, the
 * directory itself last. Without a repository only the directory itself. A `.git` that somebody else put above it, as
 * anybody can in a directory for all, makes no repository; nor does one of the person's home, or above it: what lies
 * in there by chance is not one project, and none of it may see the rest.
 */
export async function projectDirectories(cwd: string, home: string): Promise<readonly string[]> {
  const start = resolve(cwd);
  const owner = (await lstat(start).catch(() => undefined))?.uid;
  const trusted = new Set([0, owner, process.getuid?.()]);
  const above: string[] = [];
  for (let directory = start; ; directory = dirname(directory)) {
    above.push(directory);
    const entry = await lstat(join(directory, ".git")).catch(() => undefined);
    if (entry !== undefined) {
      const holdsHome = wayInside(realPathOf(directory), realPathOf(resolve(home))) !== undefined;
      return trusted.has(entry.uid) && !holdsHome ? above.toReversed() : [start];
    }
    if (dirname(directory) === directory) return [start];
  }
}
