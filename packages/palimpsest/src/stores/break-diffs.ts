import type { BreakDiffStore } from "@palimpsest/core/engine";
import { constants } from "node:fs";
import { lstat, mkdir, open, readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { checkPath } from "./check-path.js";

export interface BreakDiffDirectoryOptions {
  /** A directory of its own. Made for its owner alone where it is not there; never one after a link. */
  readonly directory: string;
  /** Texts that are kept, the newest; default 20. */
  readonly maxFiles?: number;
  /** Bytes of one text; default 65,536. */
  readonly maxBytes?: number;
}

/** Texts about cache breaks, and where each is. */
export interface BreakDiffDirectory extends BreakDiffStore {
  /** The file of a text that was or is to be saved; it may have a number after its name where that was taken. */
  readonly pathOf: (diff: { readonly id: string; readonly at: number }) => string;
}

/**
 * Texts about cache breaks as files, one each. They hold parts of prompts: only the owner can read them. At most
 * `maxFiles` of them stay; other files in the directory are left alone. A save that fails rejects, and leaves
 * nothing after.
 */
export function createBreakDiffDirectory(options: BreakDiffDirectoryOptions): BreakDiffDirectory {
  const { directory, maxFiles = 20, maxBytes = 65_536 } = options ?? {};
  checkPath("createBreakDiffDirectory", directory, "`directory`");
  let saving: Promise<void> = Promise.resolve();
  const save: BreakDiffStore["save"] = async ({ id, at, text }) => {
    if (maxFiles < 1) return;
    await mkdir(directory, { recursive: true, mode: 0o700 });
    if (!(await lstat(directory)).isDirectory()) {
      throw new Error(`${directory} is a link or no directory; name one for cache breaks alone`);
    }
    await writeNew(directory, { name: nameOf(id, at), bytes: clip(text, maxBytes) });
    await removeOldest(directory, maxFiles);
  };
  return {
    pathOf: ({ id, at }) => join(directory, `${nameOf(id, at)}${SUFFIX}`),
    save(diff) {
      const saved = saving.then(() => save(diff));
      saving = saved.catch(() => {});
      return saved;
    },
  };
}

const PREFIX = "cache-break-";
const SUFFIX = ".txt";

/** Sorted by name, files are sorted by time. */
function nameOf(id: string, at: number): string {
  const time = new Date(Number.isFinite(at) && at >= 0 && at < 2.5e14 ? at : 0);
  const safe = id.replaceAll(/[^A-Za-z0-9_-]+/g, "_").slice(0, 60);
  return `${PREFIX}${time.toISOString().replaceAll(/[^0-9TZ]/g, "")}-${safe}`;
}

const NAMES_TO_TRY = 20;

/** Never opens what is there already, be it a file or a link. */
async function writeNew(
  directory: string,
  { name, bytes }: { readonly name: string; readonly bytes: Uint8Array },
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const path = join(directory, `${name}${attempt === 1 ? "" : `.${attempt}`}${SUFFIX}`);
    try {
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
      const file = await open(path, flags, 0o600);
      try {
        await file.writeFile(bytes);
      } catch (error) {
        await unlink(path).catch(() => {});
        throw error;
      } finally {
        await file.close();
      }
      return;
    } catch (error) {
      const isTaken = error instanceof Error && "code" in error && error.code === "EEXIST";
      if (!isTaken || attempt >= NAMES_TO_TRY) throw error;
    }
  }
}

/** Removing is tidying: that somebody else was faster, or may not, fails nothing. */
async function removeOldest(directory: string, maxFiles: number): Promise<void> {
  const names = (await readdir(directory).catch(() => []))
    .filter((name) => name.startsWith(PREFIX) && name.endsWith(SUFFIX))
    .toSorted();
  for (const name of names.slice(0, Math.max(0, names.length - maxFiles))) {
    await unlink(join(directory, name)).catch(() => {});
  }
}

/** The bytes of a text, cut where no character is cut apart. */
function clip(text: string, maxBytes: number): Uint8Array {
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= maxBytes) return bytes;
  let end = Math.max(0, maxBytes);
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end);
}
