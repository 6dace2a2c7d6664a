import type { GapHistory, GapHistoryStore } from "@palimpsest/core";
import { readGapHistory } from "@palimpsest/core/engine";
import { readFile } from "node:fs/promises";
import { checkPath } from "./check-path.js";
import { replaceFile } from "./replace-file.js";

/**
 * A user's gap history in one JSON file, such as `gaps.json` in the user's data folder. A file that cannot be
 * read counts as none: only a better guess is lost.
 */
export function createGapHistoryFile(path: string): GapHistoryStore {
  checkPath("createGapHistoryFile", path);
  let saving: Promise<void> = Promise.resolve();
  return {
    async load() {
      try {
        return readGapHistory(JSON.parse(await readFile(path, "utf8")));
      } catch {
        return undefined;
      }
    },
    save(history: GapHistory) {
      const saved = saving.then(() => replaceFile(path, `${JSON.stringify(history)}\n`));
      saving = saved.catch(() => {});
      return saved;
    },
  };
}
