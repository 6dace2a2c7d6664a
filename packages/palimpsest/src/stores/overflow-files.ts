import type { OverflowStore } from "@palimpsest/core";
import { rm } from "node:fs/promises";
import { checkPath } from "./check-path.js";
import { createPrivateFile } from "./private-file.js";

/**
 * Texts that are too long for a window, each in a new file of this directory that only this user can read. The names are
 * `message.txt`, `result.txt`, `message-2.txt` and so on: nothing of them comes from the texts.
 */
export function createOverflowFiles(directory: string): Pick<OverflowStore, "keep"> {
  checkPath("createOverflowFiles", directory, "the directory");
  return {
    async keep(text, { name }) {
      const { path, file } = await createPrivateFile(directory, name);
      try {
        await file.writeFile(text);
      } catch (error) {
        await rm(path, { force: true });
        throw error;
      } finally {
        await file.close();
      }
      return path;
    },
  };
}
