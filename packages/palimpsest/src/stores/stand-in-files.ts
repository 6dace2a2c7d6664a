import type { StandInStore, StoredChain } from "@palimpsest/core/tree";
import { createHash, randomUUID } from "node:crypto";
import { link, mkdir, open, readdir, readFile, rename, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";

export interface StandInFilesOptions {
  /** Made where it is not there; only this user can enter it. */
  readonly directory: string;
}

export interface StandInFiles extends StandInStore {
  /** Removes what nobody has asked for since `time`, in milliseconds; gives the number of files. What goes on from it is lost with it. */
  removeUnusedSince(time: number): Promise<number>;
}

/** What a file holds: the key that it is of, the key that it goes on from, the length of the value; then the value. */
interface Entry {
  readonly from: string | undefined;
  readonly value: string;
}

/** So seldom it is noted that a file was used. */
const NOTED_EVERY_MS = 3_600_000;
/** Chains are as long as a conversation has requests between two compactions. */
const LONGEST_CHAIN = 100_000;

/**
 * Stand-ins as files that only this user can read, any number of processes at a time. The name of a file is a hash of its key:
 * nothing of a key becomes part of a path. A file appears whole or not at all, and is never changed. One that is damaged
 * counts as not there, and may be written again.
 */
export function createStandInFiles({ directory }: StandInFilesOptions): StandInFiles {
  if (typeof directory !== "string" || directory === "") {
    throw new TypeError('createStandInFiles() needs a directory: createStandInFiles({ directory: "…" }).');
  }
  const pathOf = (key: string): string => {
    const name = createHash("sha256").update(JSON.stringify(key)).digest("hex");
    return join(directory, name.slice(0, 2), `${name.slice(2)}.json`);
  };

  const read = async (key: string): Promise<Entry | undefined> => {
    const path = pathOf(key);
    const text = await readFile(path, "utf8").catch(orMissing);
    const entry = text === undefined ? undefined : decode(text, key);
    if (entry !== undefined) await noteUse(path);
    return entry;
  };

  const chainOf = async (key: string): Promise<StoredChain | undefined> => {
    const values = new Map<string, string>();
    for (let at: string | undefined = key; at !== undefined;) {
      if (values.has(at) || values.size > LONGEST_CHAIN) return undefined;
      const entry: Entry | undefined = await read(at);
      if (entry === undefined) return undefined;
      values.set(at, entry.value);
      at = entry.from;
    }
    return { key, values: [...values.values()].toReversed() };
  };

  return {
    async find(keys) {
      for (const key of keys) {
        const chain = await chainOf(key);
        if (chain !== undefined) return chain;
      }
      return undefined;
    },
    async insert(key, value, from) {
      const path = pathOf(key);
      const folder = join(path, "..");
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const temporary = join(folder, `${process.pid}-${randomUUID()}.tmp`);
      const file = await open(temporary, "wx", 0o600);
      try {
        await file.writeFile(encode(key, { value, from }));
      } finally {
        await file.close();
      }
      try {
        await link(temporary, path);
        return value;
      } catch {
        // Somebody was first, or the file system has no links.
        const known = await read(key);
        if (known !== undefined) return known.value;
        await rename(temporary, path);
        return (await read(key))?.value ?? value;
      } finally {
        await rm(temporary, { force: true });
      }
    },
    async removeUnusedSince(time) {
      let removed = 0;
      for (const name of await filesIn(directory)) {
        const found = await stat(name).catch(orMissing);
        if (found === undefined || found.mtimeMs >= time) continue;
        await rm(name, { force: true });
        removed += 1;
      }
      return removed;
    },
  };
}

const orMissing = (error: unknown): undefined => {
  if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
  throw error;
};

/** So that what is used is not taken for unused; whoever may not do that only reads. */
async function noteUse(path: string): Promise<void> {
  const now = new Date();
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || now.getTime() - found.mtimeMs < NOTED_EVERY_MS) return;
  await utimes(path, now, now).catch(() => {});
}

async function filesIn(directory: string): Promise<readonly string[]> {
  const names = await readdir(directory, { recursive: true }).catch(orMissing);
  return (names ?? [])
    .filter((name) => /^[0-9a-f]{2}[/\\](?:[0-9a-f]{62}\.json|[0-9a-f-]+\.tmp)$/.test(name))
    .map((name) => join(directory, name));
}

const encode = (key: string, { value, from }: Entry): string =>
  `${JSON.stringify({ key, from, length: value.length })}\n${value}`;

function decode(text: string, key: string): Entry | undefined {
  const end = text.indexOf("\n");
  let head: unknown;
  try {
    head = JSON.parse(text.slice(0, Math.max(0, end)));
  } catch {
    return undefined;
  }
  if (typeof head !== "object" || head === null) return undefined;
  const { key: own, from, length } = head as Readonly<Record<string, unknown>>;
  const value = text.slice(end + 1);
  if (own !== key || length !== value.length) return undefined;
  return from === undefined || typeof from === "string" ? { from, value } : undefined;
}
