import { lstat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

/**
 * The directories of a project that lead to one of them: the repository's root (which holds `.git`) first, the
 * directory itself last. Without a repository only the directory itself. A `.git` that somebody else put above it, as
 * anybody can in a directory for all, makes no repository.
 */
export async function projectDirectories(cwd: string): Promise<readonly string[]> {
  const start = resolve(cwd);
  const owner = (await lstat(start).catch(() => undefined))?.uid;
  const trusted = new Set([0, owner, process.getuid?.()]);
  const above: string[] = [];
  for (let directory = start; ; directory = dirname(directory)) {
    above.push(directory);
    const entry = await lstat(join(directory, ".git")).catch(() => undefined);
    if (entry !== undefined) return trusted.has(entry.uid) ? above.toReversed() : [start];
    if (dirname(directory) === directory) return [start];
  }
}
