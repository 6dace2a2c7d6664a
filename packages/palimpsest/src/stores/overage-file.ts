import { readFile } from "node:fs/promises";
import { replaceFile } from "./replace-file.js";

/** What the API last said of the account, for the start of the next conversation. */
export interface OverageFile {
  /** Undefined where nothing is known, or not any more. Never rejects. */
  readonly load: () => Promise<boolean | undefined>;
  /** Never rejects: what cannot be stored is asked for again. */
  readonly save: (isInOverage: boolean) => Promise<void>;
}

/** Quotas begin anew after some hours: what was said longer ago says nothing. */
const VALID_MS = 5 * 60 * 60 * 1000;

export function createOverageFile(path: string, now: () => number = Date.now): OverageFile {
  return {
    async load() {
      try {
        const { isInOverage, at } = JSON.parse(await readFile(path, "utf8")) as Readonly<
          Record<string, unknown>
        >;
        const age = typeof at === "number" ? now() - at : Infinity;
        return typeof isInOverage === "boolean" && age >= 0 && age < VALID_MS ? isInOverage : undefined;
      } catch {
        return undefined;
      }
    },
    async save(isInOverage) {
      await replaceFile(path, `${JSON.stringify({ isInOverage, at: now() })}\n`).catch(() => {});
    },
  };
}
