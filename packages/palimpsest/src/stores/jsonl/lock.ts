import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { TranscriptError } from "@palimpsest/core";
import { removeFile, systemCode, type FileSystem } from "./file-system.js";
import {
  isReadable,
  judgeHolder,
  ownHolder,
  readHolder,
  type FoundHolder,
  type HolderState,
  type LockHolder,
} from "./lock-holder.js";

const ATTEMPTS = 100;
const PAUSE = 20;
const TEMPORARY_GRACE = 60_000;

export interface LockOptions {
  readonly fileSystem: FileSystem;
  readonly directory: string;
  readonly conversationId: string;
}

export interface Lock {
  release(): Promise<void>;
}

/**
 * Takes the conversation's lock, if need be from a process that is gone; rejects with code `locked` while
 * somebody holds it.
 *
 * A stale lock is removed only by the holder of a claim named after that very lock, who has seen it still
 * there under the claim: of several who find it stale, none can remove the lock that another has put in its
 * place. A claim is a lock too, so one whose holder died is removed the same way.
 */
export async function acquireLock(options: LockOptions): Promise<Lock> {
  const { fileSystem, directory, conversationId } = options;
  const path = join(directory, `${conversationId}.lock`);
  let hasRecovered = false;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const own = await placeLock(options, path);
    if (own !== undefined) {
      if (hasRecovered) await sweep(options);
      return { release: () => releaseLock(fileSystem, path, own) };
    }
    const holder = await readHolder(fileSystem, path);
    if (holder === undefined) continue;
    const state = await judgeHolder(holder);
    if (state !== "stale") throw lockedError(conversationId, path, { holder, state });
    hasRecovered = true;
    if (!(await removeStale(options, path, holder))) await sleep(PAUSE);
  }
  throw new TranscriptError(
    "locked",
    `Conversation ${conversationId} has a lock that others are just recovering; try again in a moment, or delete ${path} if nobody writes it.`,
  );
}

/** Makes the lock file with its content in one step; undefined where there is one already. */
async function placeLock(
  { fileSystem, directory, conversationId }: LockOptions,
  path: string,
): Promise<LockHolder | undefined> {
  const own = await ownHolder();
  const content = `${JSON.stringify(own)}\n`;
  const temporary = join(directory, `${conversationId}.lock.${own.nonce}.tmp`);
  try {
    await fileSystem.writeFile(temporary, content, { flag: "wx", mode: 0o600 });
    try {
      await fileSystem.link(temporary, path);
    } catch (error) {
      if (!LINKS_UNSUPPORTED.has(systemCode(error) ?? "")) throw error;
      await fileSystem.writeFile(path, content, { flag: "wx", mode: 0o600 });
    }
    return own;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return undefined;
    throw error;
  } finally {
    await removeFile(fileSystem, temporary);
  }
}

/** What file systems without hard links answer. */
const LINKS_UNSUPPORTED: ReadonlySet<string> = new Set(["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"]);

/** Whether the stale lock is gone; if not, somebody else is about to remove it, or its claim had to go first. */
async function removeStale(options: LockOptions, path: string, stale: FoundHolder): Promise<boolean> {
  const { fileSystem, directory, conversationId } = options;
  const claimPath = join(directory, `${conversationId}.lock.${stale.nonce}`);
  const claim = await placeLock(options, claimPath);
  if (claim === undefined) {
    const claimant = await readHolder(fileSystem, claimPath);
    if (claimant !== undefined && (await judgeHolder(claimant)) === "stale") {
      await removeStale(options, claimPath, claimant);
    }
    return false;
  }
  try {
    const present = await readHolder(fileSystem, path);
    if (present?.nonce === stale.nonce) await removeFile(fileSystem, path);
    return true;
  } finally {
    await removeFile(fileSystem, claimPath);
  }
}

/** Leaves alone what is not ours any more: a person may have deleted our lock, and another taken the conversation. */
async function releaseLock(fileSystem: FileSystem, path: string, own: LockHolder): Promise<void> {
  const holder = await readHolder(fileSystem, path);
  if (holder?.nonce === own.nonce) await removeFile(fileSystem, path);
}

/** Claims and temporary files, but no file of a conversation whose id starts with this one's lock. */
const LEFT_BEHIND = /^(?:[0-9a-f-]{36}(?:\.tmp)?|unreadable-\d+-\d+)$/;

/** Removes what dead recoverers left. Under the lock: claims on locks that are gone bind nobody. */
async function sweep({ fileSystem, directory, conversationId }: LockOptions): Promise<void> {
  const prefix = `${conversationId}.lock.`;
  for (const name of await fileSystem.readdir(directory)) {
    if (!name.startsWith(prefix) || !LEFT_BEHIND.test(name.slice(prefix.length))) continue;
    const path = join(directory, name);
    try {
      const isInUse =
        name.endsWith(".tmp") && Date.now() - (await fileSystem.stat(path)).mtimeMs < TEMPORARY_GRACE;
      if (!isInUse) await removeFile(fileSystem, path);
    } catch (error) {
      if (systemCode(error) !== "ENOENT") throw error;
    }
  }
}

interface Found {
  readonly holder: FoundHolder;
  readonly state: HolderState;
}

function lockedError(conversationId: string, path: string, { holder, state }: Found): TranscriptError {
  if (!isReadable(holder)) {
    return new TranscriptError(
      "locked",
      `Conversation ${conversationId} has a lock file that cannot be read; try again in some seconds, or delete ${path} if nobody writes it.`,
    );
  }
  const writer = `Conversation ${conversationId} is being written by process ${holder.pid} on ${holder.host} since ${holder.time}`;
  return new TranscriptError(
    "locked",
    state === "foreign"
      ? `${writer}, and from here nobody can tell whether it still runs; close it there, or delete ${path} if it is gone.`
      : `${writer}; close it there, or end that process and open the conversation again.`,
  );
}
