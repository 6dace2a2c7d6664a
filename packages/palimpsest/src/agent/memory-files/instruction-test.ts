import { lstat } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { createFileAccess } from "../../files/file-access.js";
import { realPathOf, wayInside } from "../base/real-path.js";
import { shownPath } from "../base/shown-path.js";
import { createIgnoreFiles } from "../base/ignore-files.js";
import { isDependencyFolder } from "./dependency-folders.js";

export interface InstructionPlaces {
  readonly workingDirectory: string;
  /** Above this directory no `.gitignore` is looked for. */
  readonly root: string;
}

/** A name that no rule is about: where it is ignored, everything is. */
const ANY_NAME = "palimpsest-any-name";

/**
 * Whether a file of the project may hold instructions: nothing in folders of dependencies, or in what git ignores,
 * does. What was written there came from elsewhere, and nobody of the project has read it. A file that is ignored by
 * its own name (`CLAUDE.md`, `.claude/`) is somebody's own and counts. Asks the disk; never rejects.
 */
export function createInstructionTest(places: InstructionPlaces): (path: string) => Promise<boolean> {
  const start = resolve(places.workingDirectory);
  const root = resolve(places.root);
  return async (path) => {
    if ((await lstat(path).catch(() => undefined)) === undefined) return true;
    const spellings = [
      { path, start, root },
      { path: realPathOf(path), start: realPathOf(start), root: realPathOf(root) },
    ];
    for (const one of spellings) if (!(await isOfProject(one))) return false;
    return true;
  };
}

interface Spelling {
  readonly path: string;
  readonly start: string;
  readonly root: string;
}

async function isOfProject({ path, start, root }: Spelling): Promise<boolean> {
  // Whoever starts in a folder means that folder, whatever its name.
  const base = wayInside(start, path) === undefined ? root : start;
  const way = wayInside(base, path);
  if (way === undefined) return true;
  const names = way.split(sep);
  const own = names.lastIndexOf(".claude");
  const isOwn = own >= 0 && (names[own + 1] === "rules" || own === names.length - 2);
  const folders = names.slice(0, isOwn ? own : -1);
  // A name of several lines would itself be read as instructions.
  if (folders.some((name) => isDependencyFolder(name) || shownPath(name) !== name)) return false;
  if (folders.length === 0) return true;
  const ignored = await createIgnoreFiles({
    files: createFileAccess({ roots: [root] }),
    top: root,
    start: base,
  });
  let directory = base;
  for (const name of folders) {
    if ((await ignored.in(directory, true))(name, true)) return false;
    directory = join(directory, name);
  }
  const isIgnored = await ignored.in(directory, true);
  const first = names[folders.length] ?? basename(path);
  return !(isIgnored(ANY_NAME, false) && isIgnored(first, dirname(path) !== directory));
}
