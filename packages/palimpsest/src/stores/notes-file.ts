import type { NotesStore } from "@palimpsest/core";
import { readFile } from "node:fs/promises";
import { checkPath } from "./check-path.js";
import { systemCode } from "./jsonl/file-system.js";
import { replaceFile, type Rename } from "./replace-file.js";

/**
 * The notes of one conversation in a file, such as `session-memory/summary.md` in the conversation's own folder.
 * Written whole and swapped in, one text after the other: a crash leaves the notes from before. A file that is
 * there and cannot be read is an error, so that nobody writes over it.
 */
export function createNotesFile(path: string, options: { readonly rename?: Rename } = {}): NotesStore {
  checkPath("createNotesFile", path);
  let writing: Promise<void> = Promise.resolve();
  return {
    path,
    async read() {
      await writing;
      try {
        return await readFile(path, "utf8");
      } catch (error) {
        if (systemCode(error) === "ENOENT") return undefined;
        throw error;
      }
    },
    write(notes) {
      const written = writing.then(() => replaceFile(path, notes, options.rename));
      writing = written.catch(() => {});
      return written;
    },
  };
}
