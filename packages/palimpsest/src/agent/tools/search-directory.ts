import { relative, resolve } from "node:path";
import { openDirectoryInside, type OpenDirectory } from "../../files/open-directory-inside.js";
import { isInside } from "../../files/open-inside.js";
import type { PathGuard } from "../base/path-guard.js";
import { quotedPath, shownPath } from "../base/shown-path.js";

export type SearchPlace =
  | {
      readonly kind: "directory";
      /** Absolute, as the call means it. */
      readonly path: string;
      readonly real: string;
      /** To be closed. */
      readonly opened: OpenDirectory;
    }
  /** Perhaps a file: it is no directory. */
  | { readonly kind: "other"; readonly path: string; readonly real: string }
  | { readonly kind: "refused"; readonly reason: string };

/** The place that a search is asked for: the working directory where none is named. */
export async function openSearchPlace(guard: PathGuard, written: string | undefined): Promise<SearchPlace> {
  const judged = await guard.resolve(written ?? guard.workingDirectory, "read");
  if (judged.kind === "refused") return judged;
  const { path, real } = judged;
  const opened = await openDirectoryInside(guard.disk, real, { bounds: guard.bounds });
  if (opened.kind === "directory") return { kind: "directory", path, real, opened };
  const entry = await guard.disk.lstat(real).catch(() => undefined);
  if (entry !== undefined) return { kind: "other", path, real };
  const reason = `${quotedPath(written ?? path)} does not exist. Relative paths start at ${quotedPath(guard.workingDirectory)}.`;
  return { kind: "refused", reason };
}

/** A found file for the model: from the working directory on where it lies there, else in full. */
export function foundPath(guard: PathGuard, place: { readonly path: string }, name: string): string {
  const path = resolve(place.path, name);
  const isNear = path !== guard.workingDirectory && isInside(path, [guard.workingDirectory]);
  return shownPath(isNear ? relative(guard.workingDirectory, path) : path);
}
