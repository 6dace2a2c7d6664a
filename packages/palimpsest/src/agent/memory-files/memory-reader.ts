import type { FileAccess, FileText } from "@palimpsest/core/restore";
import { dirname, resolve } from "node:path";
import { realPathOf } from "../base/real-path.js";
import { shownPath } from "../base/shown-path.js";
import { findImports } from "./find-imports.js";
import { MAX_CHARACTERS, MAX_DEPTH } from "./memory-limits.js";
import { deepImport, importLoop, longMemory, refusedMemory, type MemoryProblem } from "./memory-problem.js";

export interface MemoryReaderOptions {
  readonly files: FileAccess;
  /** What the files import comes from here, and from nowhere else. */
  readonly imports: FileAccess;
  /** Whether a file may be imported. */
  readonly isImportable: (path: string) => boolean | Promise<boolean>;
  /** Files that rules forbid to read are left out without a word. */
  readonly isDenied: (path: string) => boolean;
  readonly onProblem: (problem: MemoryProblem) => void;
  /** Told of each file that was imported: by which file, and for which one that was to be read. */
  readonly onImported?: (path: string, by: { readonly parent: string; readonly top: string }) => void;
}

const MAX_IMPORTS = 20;

interface Import {
  readonly path: string;
  readonly content: string;
}

interface ImportWalk {
  /** The file that was to be read. */
  readonly top: string;
  /** The files that led here, links followed. */
  readonly chain: readonly string[];
  /** By their real paths. */
  readonly taken: Map<string, Import>;
}

/**
 * Memory files with what they import after them, each import once. What cannot be read, is too long or leads back to
 * itself is told. Nothing is raised.
 */
export function createMemoryReader(options: MemoryReaderOptions): FileAccess {
  const { files, imports, onProblem } = options;

  const importsOf = async ({ path, content }: Import, { top, chain, taken }: ImportWalk): Promise<void> => {
    for (const name of findImports(content)) {
      const target = resolve(dirname(path), name);
      const real = realPathOf(target);
      if (chain.includes(real)) {
        onProblem(importLoop(path, target));
        continue;
      }
      if (taken.has(real) || name.startsWith("~/") || options.isDenied(target)) continue;
      const outcome = await imports.read(target, { maxCharacters: MAX_CHARACTERS, isNumbered: false });
      // A word after an @ need not be a file, and what lies elsewhere is nobody's instruction here.
      if (outcome.kind === "gone" || outcome.kind === "outside" || !(await options.isImportable(target)))
        continue;
      if (outcome.kind !== "text") {
        // It may be the name of a folder.
        if (outcome.kind !== "unreadable") tell(refusedMemory(target, outcome.kind));
        continue;
      }
      if (chain.length > MAX_DEPTH || taken.size >= MAX_IMPORTS) {
        onProblem(deepImport(path, target));
        continue;
      }
      if (outcome.isTruncated) onProblem(longMemory(target, MAX_CHARACTERS));
      const found = { path: target, content: outcome.content };
      taken.set(real, found);
      options.onImported?.(target, { parent: path, top });
      await importsOf(found, { top, chain: [...chain, real], taken });
    }
  };

  const tell = (problem: MemoryProblem | undefined): void => {
    if (problem !== undefined) onProblem(problem);
  };

  const withImports = async (path: string, text: FileText): Promise<FileText> => {
    const taken = new Map<string, Import>();
    await importsOf({ path, content: text.content }, { top: path, chain: [realPathOf(path)], taken });
    if (taken.size === 0) return text;
    const parts = Array.from(
      taken.values(),
      (one) => `Imported from ${shownPath(one.path)}:\n${one.content.trim()}`,
    );
    const content = [text.content.trimEnd(), ...parts].join("\n\n");
    if (content.length <= MAX_CHARACTERS) return { ...text, content };
    onProblem(longMemory(path, MAX_CHARACTERS));
    return { ...text, content: content.slice(0, MAX_CHARACTERS), isTruncated: true };
  };

  return {
    ...files,
    async read(path, request) {
      const outcome = await files.read(path, request);
      if (outcome.kind !== "text") {
        if (!options.isDenied(path)) tell(refusedMemory(path, outcome.kind));
        return outcome;
      }
      if (outcome.isTruncated) onProblem(longMemory(path, request?.maxCharacters ?? MAX_CHARACTERS));
      return withImports(path, outcome);
    },
  };
}
