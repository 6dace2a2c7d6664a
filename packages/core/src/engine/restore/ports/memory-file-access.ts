import type { FileAccess, FileReadOptions, FileRefusal, FileText } from "../../ports/file-access.js";

/** A file in memory: its text with the time of its last change, or what reading it is answered with. */
export type MemoryFile =
  | { readonly content: string; readonly mtime?: number }
  | { readonly kind: FileRefusal };

export interface MemoryFileAccess extends FileAccess {
  readonly write: (path: string, file: MemoryFile) => void;
  readonly remove: (path: string) => void;
}

/** Files that live as long as the process. */
export function createMemoryFileAccess(files: Readonly<Record<string, MemoryFile>> = {}): MemoryFileAccess {
  const known = new Map(Object.entries(files));
  return {
    async read(path, options = {}) {
      const file = known.get(path);
      if (file === undefined) return { kind: "gone" };
      return "kind" in file ? { kind: file.kind } : textOf(file.content, file.mtime ?? 0, options);
    },
    async stat(path) {
      const file = known.get(path);
      return file === undefined || "kind" in file ? undefined : { mtime: file.mtime ?? 0 };
    },
    write: (path, file) => void known.set(path, file),
    remove: (path) => void known.delete(path),
  };
}

function textOf(content: string, mtime: number, options: FileReadOptions): FileText {
  const { offset = 1, limit, maxCharacters = Infinity, isNumbered = true } = options;
  const first = Math.max(1, offset);
  const all = linesOf(content).slice(first - 1, limit === undefined ? undefined : first - 1 + limit);
  const shown: string[] = [];
  let characters = 0;
  for (const [index, line] of all.entries()) {
    const text = isNumbered ? `${first + index}\t${line}` : line;
    characters += text.length + (index === 0 ? 0 : 1);
    if (characters > maxCharacters) {
      if (index === 0) shown.push(text.slice(0, maxCharacters).toWellFormed());
      return { kind: "text", content: shown.join("\n"), lines: shown.length, isTruncated: true, mtime };
    }
    shown.push(text);
  }
  return { kind: "text", content: shown.join("\n"), lines: shown.length, isTruncated: false, mtime };
}

function linesOf(content: string): readonly string[] {
  const lines = content.split(/\r?\n/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}
