import { shownPath } from "../../messages/shown-path.js";
import type { FileAccess } from "../ports/file-access.js";
import type { ReadState } from "../tools/read-state.js";

/** A file that is no longer what the model read. */
export interface StaleRead {
  readonly path: string;
  /** When it was last changed, in milliseconds since the epoch; undefined for one that is gone. */
  readonly mtime: number | undefined;
}

export interface StaleReadOptions {
  readonly stat: FileAccess["stat"];
  /** What was told before, by path: the same change is not told again. */
  readonly told?: ReadonlyMap<string, number | undefined>;
}

/**
 * Which files changed since the model read them, the most recently read first. Asks only for files in the
 * read-state. Never rejects: a file that cannot be asked for counts as unchanged.
 */
export async function findStaleReads(
  readState: Pick<ReadState, "snapshot">,
  { stat, told }: StaleReadOptions,
): Promise<readonly StaleRead[]> {
  const found = await Promise.all(
    readState.snapshot().reads.map(async ({ path, mtime }): Promise<readonly StaleRead[]> => {
      try {
        const now = (await stat(path))?.mtime;
        if (now === mtime || (told?.has(path) === true && told.get(path) === now)) return [];
        return [{ path, mtime: now }];
      } catch {
        return [];
      }
    }),
  );
  return found.flat();
}

export interface StaleReadWatch {
  /** To be asked after a tool that may have changed files: what changed and was not told yet. */
  readonly check: () => Promise<readonly StaleRead[]>;
}

/** Tells each change once. */
export function createStaleReadWatch(options: {
  readonly readState: Pick<ReadState, "snapshot" | "has">;
  readonly files: Pick<FileAccess, "stat">;
}): StaleReadWatch {
  const { readState, files } = options;
  const told = new Map<string, number | undefined>();
  return {
    async check() {
      for (const path of told.keys()) if (!readState.has(path)) told.delete(path);
      const stale = await findStaleReads(readState, { stat: files.stat, told });
      for (const { path, mtime } of stale) told.set(path, mtime);
      return stale;
    },
  };
}

const SHOWN_PATHS = 20;

/** The `staleReadFileStateHint` of a tool's result; undefined where nothing changed. */
export function staleReadHint(reads: readonly StaleRead[]): string | undefined {
  if (reads.length === 0) return undefined;
  const lines = reads
    .slice(0, SHOWN_PATHS)
    .map(({ path, mtime }) => `- ${shownPath(path)}${mtime === undefined ? " (no longer there)" : ""}`);
  const more = reads.length > SHOWN_PATHS ? [`- and ${reads.length - SHOWN_PATHS} more`] : [];
  return [
    "Files that you read have changed on disk since. What you saw of them may be out of date; read them again before you rely on it or edit them:",
    ...lines,
    ...more,
  ].join("\n");
}
