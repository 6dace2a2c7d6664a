import type { FileAccess, FileReadOptions, FileReadOutcome } from "@palimpsest/core/restore";
import { pathKey } from "./file-path.js";
import { charactersOf, linesFrom, type KnownFile } from "./known-file.js";

export interface FileShelfOptions {
  /** Default 200. */
  readonly maxFiles?: number;
  /** Default 20 million. */
  readonly maxCharacters?: number;
  /** A file that was least recently put was given up for another. */
  readonly onDrop?: (path: string) => void;
}

/** Known files by their paths, as many as there is room for. A path is a key and nothing else. */
export interface FileShelf extends FileAccess {
  /** The path under which a file was put; the path itself for one that is not known. */
  readonly nameOf: (path: string) => string;
  readonly get: (path: string) => KnownFile | undefined;
  /** It is the newest from now on, changed at `mtime`. A file that is too large by itself is not kept. */
  readonly put: (path: string, file: KnownFile, mtime: number) => void;
  readonly remove: (path: string) => void;
  readonly size: () => { readonly files: number; readonly characters: number };
}

interface ShelvedFile {
  readonly path: string;
  readonly file: KnownFile;
  readonly mtime: number;
  readonly characters: number;
}

export function createFileShelf(options: FileShelfOptions = {}): FileShelf {
  const { maxFiles = 200, maxCharacters = 20_000_000, onDrop } = options;
  /** The least recently put first. */
  const shelved = new Map<string, ShelvedFile>();
  let characters = 0;
  const remove = (path: string): void => {
    const key = pathKey(path);
    characters -= shelved.get(key)?.characters ?? 0;
    shelved.delete(key);
  };
  return {
    nameOf: (path) => shelved.get(pathKey(path))?.path ?? path,
    get: (path) => shelved.get(pathKey(path))?.file,
    put(path, file, mtime) {
      remove(path);
      const entry = { path, file, mtime, characters: charactersOf(file) };
      shelved.set(pathKey(path), entry);
      characters += entry.characters;
      for (const oldest of shelved.values()) {
        if (shelved.size <= maxFiles && characters <= maxCharacters) break;
        remove(oldest.path);
        onDrop?.(oldest.path);
      }
    },
    remove,
    size: () => ({ files: shelved.size, characters }),
    async read(path, readOptions = {}) {
      const entry = shelved.get(pathKey(path));
      return entry === undefined ? { kind: "gone" } : show(entry, readOptions);
    },
    async stat(path) {
      const entry = shelved.get(pathKey(path));
      return entry === undefined ? undefined : { mtime: entry.mtime };
    },
  };
}

/** The lines that were asked for, as far as they are known without a gap. */
function show({ file, mtime }: ShelvedFile, options: FileReadOptions): FileReadOutcome {
  const { offset = 1, limit = Infinity, maxCharacters = Infinity, isNumbered = true } = options;
  const first = Math.max(1, offset);
  const known = linesFrom(file, first);
  if (known === undefined) return { kind: "unreadable" };
  const shown: string[] = [];
  let characters = 0;
  for (const [index, line] of known.lines.entries()) {
    if (index >= limit) return { kind: "text", ...joined(shown), isTruncated: false, mtime };
    const text = isNumbered ? `${first + index}\t${line}` : line;
    characters += text.length + (index === 0 ? 0 : 1);
    if (characters > maxCharacters) {
      if (index === 0) shown.push(headOf(text, maxCharacters));
      return { kind: "text", ...joined(shown), isTruncated: true, mtime };
    }
    shown.push(text);
  }
  return { kind: "text", ...joined(shown), isTruncated: !known.endsFile && shown.length < limit, mtime };
}

const joined = (lines: readonly string[]): { readonly content: string; readonly lines: number } => ({
  content: lines.join("\n"),
  lines: lines.length,
});

/** The beginning of a line, without half of a surrogate pair at its end. */
const headOf = (text: string, length: number): string =>
  text.slice(0, length).replace(/[\uD800-\uDBFF]$/, "");
