import { randomUUID } from "node:crypto";
import {
  appendFile,
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  unlink,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { isFields } from "../../../agent/base/fields.js";

/** A file as it was before the agent wrote it. */
interface KeptCopy {
  readonly at: number;
  readonly path: string;
  /** The name of the copy; null where there was no such file. */
  readonly copy: string | null;
}

interface RestoredCopies {
  /** Files that are as they were. */
  readonly restored: readonly string[];
  /** Files that could not be. */
  readonly failed: readonly string[];
  /** Where what they held before is kept. */
  readonly kept: string;
}

export interface KeptCopies {
  /** Keeps the file as it is now. Never rejects: an edit does not fail because its copy does. */
  readonly keep: (path: string) => Promise<void>;
  /** The files that the agent has written since, without changing them. */
  readonly since: (at: number) => Promise<readonly string[]>;
  /** Makes the files what they were at that time. What they hold now is kept too. */
  readonly restore: (at: number) => Promise<RestoredCopies>;
}

const LARGEST_FILE = 10 * 1024 * 1024;
const MOST_BYTES = 200 * 1024 * 1024;
const MOST_COPIES = 2000;
const INDEX = "index.jsonl";

/** Copies of files before the agent's own edits, in a private folder of the session; the oldest go first. */
export function createKeptCopies(
  folder: string,
  {
    now,
    isOurs,
  }: {
    readonly now: () => number;
    /** Files of the program itself are not kept. */ readonly isOurs: (path: string) => boolean;
  },
): KeptCopies {
  const index = join(folder, INDEX);
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(task: () => Promise<T>): Promise<T> => {
    const run = last.then(task);
    last = run.catch(() => {});
    return run;
  };

  const read = async (): Promise<readonly KeptCopy[]> => {
    const text = await readFile(index, "utf8").catch(() => "");
    return text.split("\n").flatMap((line) => {
      try {
        const value: unknown = JSON.parse(line);
        if (!isFields(value)) return [];
        const { at, path, copy } = value;
        const isWhole =
          typeof at === "number" && typeof path === "string" && (copy === null || typeof copy === "string");
        return isWhole ? [{ at, path, copy }] : [];
      } catch {
        return [];
      }
    });
  };

  const keepNow = async (path: string): Promise<void> => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const entry = await lstat(path).catch(() => undefined);
    if (entry !== undefined && (!entry.isFile() || entry.size > LARGEST_FILE)) return;
    let copy: string | null = null;
    if (entry !== undefined) {
      copy = randomUUID();
      await writeFile(join(folder, copy), await readFile(path), { mode: 0o600, flag: "wx" });
    }
    await appendFile(index, `${JSON.stringify({ at: now(), path, copy } satisfies KeptCopy)}\n`, {
      mode: 0o600,
    });
    await bound();
  };

  /** The newest copies stay. */
  const bound = async (): Promise<void> => {
    const names = (await readdir(folder)).filter((name) => name !== INDEX);
    const sizes = await Promise.all(
      names.map(async (name) => ({ name, ...(await sizeOf(join(folder, name))) })),
    );
    const newest = sizes.toSorted((a, b) => b.at - a.at);
    let bytes = 0;
    for (const [place, { name, size }] of newest.entries()) {
      bytes += size;
      if (bytes > MOST_BYTES || place >= MOST_COPIES) await rm(join(folder, name), { force: true });
    }
  };

  return {
    keep: (path) => inTurn(async () => (isOurs(path) ? undefined : keepNow(path).catch(() => {}))),
    since: (at) =>
      inTurn(async () => [...new Set((await read()).filter((copy) => copy.at > at).map(({ path }) => path))]),
    restore: (at) =>
      inTurn(async () => {
        const restored: string[] = [];
        const failed: string[] = [];
        const first = new Map<string, KeptCopy>();
        for (const copy of await read())
          if (copy.at > at && !first.has(copy.path)) first.set(copy.path, copy);
        for (const [path, { copy }] of first) {
          try {
            const before = copy === null ? undefined : await readFile(join(folder, copy));
            await keepNow(path);
            if (before === undefined) await unlink(path).catch(orThrow);
            else await putBack(path, before);
            restored.push(path);
          } catch {
            failed.push(path);
          }
        }
        return { restored, failed, kept: folder };
      }),
  };
}

const orThrow = (error: NodeJS.ErrnoException): void => {
  if (error.code !== "ENOENT") throw error;
};

/** The mode stays what it is; a link in the place of the file is not followed. */
async function putBack(path: string, content: Buffer): Promise<void> {
  const entry = await lstat(path).catch(() => undefined);
  if (entry !== undefined && !entry.isFile()) throw new Error("It is not an ordinary file any more.");
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
  if (entry !== undefined) await chmod(path, entry.mode & 0o777);
}

const sizeOf = async (path: string): Promise<{ readonly size: number; readonly at: number }> => {
  const entry = await stat(path).catch(() => undefined);
  return { size: entry?.size ?? 0, at: entry?.mtimeMs ?? 0 };
};
