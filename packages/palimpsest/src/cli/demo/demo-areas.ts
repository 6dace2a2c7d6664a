import { readdir, stat } from "node:fs/promises";
import { join, relative } from "node:path";

/** A folder of sources that the agent has to look through. */
export interface DemoArea {
  /** `core/engine/clear` */
  readonly name: string;
  /** Relative to where the agent works, as the files. */
  readonly directory: string;
  readonly files: readonly string[];
  /** The module that the agent writes about it. */
  readonly module: string;
}

/** So many areas with so many bytes fill a window of 200,000 tokens more than once. */
export const AREAS = 14;
const AREA_BYTES = 58_000;
const LEAST_AREA_BYTES = 30_000;
const LEAST_FILE_BYTES = 1000;
const MOST_FILE_BYTES = 16_000;

interface SizedFile {
  readonly path: string;
  readonly bytes: number;
}

/** The folders below `packages` with the most sources, in the order of their names; none where there are too few. */
export async function findAreas(work: string): Promise<readonly DemoArea[]> {
  const folders = new Map<string, SizedFile[]>();
  const entries = await readdir(join(work, "packages"), { withFileTypes: true, recursive: true });
  for (const entry of entries) {
    if (!entry.isFile() || !entry.name.endsWith(".ts") || /\.(?:test|d)\.ts$/.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const { size: bytes } = await stat(path);
    if (bytes < LEAST_FILE_BYTES || bytes > MOST_FILE_BYTES) continue;
    const directory = relative(work, entry.parentPath);
    // The demo does not read about itself.
    if (directory.includes("demo")) continue;
    const files = folders.get(directory) ?? [];
    files.push({ path: relative(work, path), bytes });
    folders.set(directory, files);
  }
  const chosen = [...folders]
    .map(([directory, files]) => ({ directory, files: firstFiles(files) }))
    .filter(({ files }) => bytesOf(files) >= LEAST_AREA_BYTES)
    .toSorted((a, b) => bytesOf(b.files) - bytesOf(a.files))
    .slice(0, AREAS)
    .toSorted((a, b) => (a.directory < b.directory ? -1 : 1));
  if (chosen.length < AREAS) return [];
  return chosen.map(({ directory, files }, index) => {
    const name = directory.replace(/^packages\//, "").replace("/src", "");
    const number = String(index + 1).padStart(2, "0");
    return {
      name,
      directory,
      files: files.map(({ path }) => path),
      module: `inventory/${number}-${name.replaceAll("/", "-")}.mjs`,
    };
  });
}

function firstFiles(files: readonly SizedFile[]): readonly SizedFile[] {
  let bytes = 0;
  return files
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .filter((file) => (bytes += file.bytes) <= AREA_BYTES);
}

const bytesOf = (files: readonly SizedFile[]): number => files.reduce((sum, { bytes }) => sum + bytes, 0);
