import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { corpusFolders } from "../packages/palimpsest/dist/replay/corpus-folders.js";
import { findRecordings } from "../packages/palimpsest/dist/replay/find-recordings.js";

/**
 * The set that a recording belongs to, for good: defaults are chosen on the first and judged on the second. All of
 * the first folder is for tuning; of any other folder those whose names say so, a quarter by chance.
 */
const setOf = (name, isOfFirstFolder) =>
  isOfFirstFolder || /^[0-3]/.test(createHash("sha256").update(name).digest("hex")) ? "tuning" : "check";

/** The recordings of the folders in PALIMPSEST_CORPUS, each conversation once, with its set. Undefined for none. */
export async function recordings() {
  const folders = corpusFolders(process.env.PALIMPSEST_CORPUS);
  if (folders.length === 0) return undefined;
  const { files, failed } = await findRecordings(folders);
  for (const { file, error } of failed) console.error(`${file} ${error}`);
  return files.map((path) => {
    const name = basename(path);
    const isOfFirstFolder = resolve(dirname(path)) === resolve(folders[0]);
    return { name, path, size: statSync(path).size, set: setOf(name, isOfFirstFolder) };
  });
}
