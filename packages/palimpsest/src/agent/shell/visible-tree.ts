import { readdirSync, statSync, type Dirent } from "node:fs";
import { join } from "node:path";
import { isGarbled } from "./expand-words.js";

const MAX_ENTRIES = 5000;

export interface TreeQuestion {
  /** Whether a path, as links lead, may be looked at. */
  readonly isVisible: (path: string) => boolean;
  /** Whether rules hide a file. Left out, none is hidden and it need not be looked for. */
  readonly isHidden?: ((path: string) => boolean) | undefined;
  /** Links are followed by whoever reads: `level` in this directory alone, `deep` below it too. */
  readonly followsLinks?: "level" | "deep" | undefined;
  /** False as soon as enough was looked at. */
  readonly mayLook?: (() => boolean) | undefined;
}

/**
 * Whether all that is below a directory may be looked at by a program that reads every file in it. A tree that is too
 * large to tell is not. What is no directory has nothing below it.
 */
export function isVisibleTree(directory: string, question: TreeQuestion): boolean {
  const { isVisible, isHidden, followsLinks, mayLook } = question;
  if (isHidden === undefined && followsLinks === undefined) return true;
  const waiting = [directory];
  let entries = 0;
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    if (mayLook?.() === false) return false;
    for (const entry of entriesOf(place)) {
      entries += 1;
      if (entries > MAX_ENTRIES || isGarbled(entry.name) || mayLook?.() === false) return false;
      const path = join(place, entry.name);
      if (isHidden?.(path) === true) return false;
      if (entry.isSymbolicLink() && followsLinks !== undefined) {
        // Where a link to a directory leads there may be further links.
        if (!isVisible(path) || isDirectory(path) || isHidden?.(path) === true) return false;
      }
      if (entry.isDirectory() && (followsLinks !== "level" || isHidden !== undefined)) waiting.push(path);
    }
  }
  return true;
}

function entriesOf(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
