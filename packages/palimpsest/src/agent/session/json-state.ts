import { readFile } from "node:fs/promises";
import { replaceFile } from "../../stores/replace-file.js";

/** A list that outlives the session, in a private file. */
export interface JsonState<T> {
  /** What was saved last; empty where there is nothing that can be read. */
  readonly load: () => Promise<readonly T[]>;
  /** One after the other; what waits while a newer list comes is passed over. Rejects where the disk does. */
  readonly save: (list: readonly T[]) => Promise<void>;
  /** Resolves when nothing is being saved. */
  readonly idle: () => Promise<void>;
}

export function createJsonState<T>(path: string, isItem: (item: unknown) => item is T): JsonState<T> {
  let saving: Promise<void> = Promise.resolve();
  let newest: readonly T[] | undefined;
  return {
    async load() {
      try {
        const list: unknown = JSON.parse(await readFile(path, "utf8"));
        return Array.isArray(list) ? list.filter(isItem) : [];
      } catch {
        return [];
      }
    },
    save(list) {
      newest = list;
      const saved = saving.then(async () => {
        if (newest !== list) return;
        await replaceFile(path, JSON.stringify(list));
      });
      saving = saved.catch(() => {});
      return saved;
    },
    idle: () => saving,
  };
}
