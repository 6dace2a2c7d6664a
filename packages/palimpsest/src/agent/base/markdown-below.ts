import { readdir } from "node:fs/promises";
import { join } from "node:path";

/**
 * The Markdown files below a directory, in the order of their names. Links are listed where they stand; directories
 * that links lead to are not entered. Never rejects.
 */
export async function markdownBelow(directory: string, depth: number): Promise<readonly string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  const sorted = entries.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const found = await Promise.all(
    sorted.map(async (entry) => {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) return depth > 1 ? markdownBelow(path, depth - 1) : [];
      return entry.name.toLowerCase().endsWith(".md") ? [path] : [];
    }),
  );
  return found.flat();
}
