import { readdir } from "node:fs/promises";
import { join } from "node:path";

const MAX_RULES = 200;
const MAX_DEPTH = 4;

/** The Markdown files below the `rules` folder of a `.claude` folder, in the order of their names. Never rejects. */
export async function ruleFilesIn(folder: string): Promise<readonly string[]> {
  return (await markdownBelow(join(folder, "rules"), MAX_DEPTH)).slice(0, MAX_RULES);
}

/** Links are listed where they stand; directories behind links are not entered. */
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
