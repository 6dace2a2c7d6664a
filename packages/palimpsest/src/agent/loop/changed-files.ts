import { createStaleReadWatch, staleReadHint, type ReadState } from "@palimpsest/core/restore";
import { statSync } from "node:fs";

/** Tells which files that a model has read were changed since by something else than its own edits, each change once. */
export interface ChangedFiles {
  /** A sentence with the files for the model; undefined where nothing changed. Asks the disk for files that were read alone. */
  readonly hint: () => Promise<string | undefined>;
}

export function createChangedFiles(readState: ReadState): ChangedFiles {
  const watch = createStaleReadWatch({ readState, files: { stat } });
  return { hint: async () => staleReadHint(await watch.check()) };
}

/** Synchronous: a call of a few microseconds for each file that was read, where a promise would cost ten times that. */
const stat = async (path: string): Promise<{ readonly mtime: number } | undefined> => {
  const status = statSync(path, { throwIfNoEntry: false });
  return status?.isFile() === true ? { mtime: status.mtimeMs } : undefined;
};
