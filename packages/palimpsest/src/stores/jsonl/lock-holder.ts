import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { systemCode, type FileSystem } from "./file-system.js";

/** How long a lock file may be unreadable before it counts as left behind. */
const UNREADABLE_GRACE = 10_000;

/** Who holds a lock, as its file says. */
export interface LockHolder {
  readonly pid: number;
  /** Boot and tick of the process's start, where the system tells: another process may get the same pid later. */
  readonly startTime?: string;
  readonly host: string;
  /** Since when, ISO 8601. */
  readonly time: string;
  /** Of this lock alone: no two locks ever have the same. */
  readonly nonce: string;
}

/** A lock file whose content is not there, or is none of ours. */
interface UnreadableHolder {
  readonly nonce: string;
  readonly changedAt: number;
}

export type FoundHolder = LockHolder | UnreadableHolder;

/** `stale`: its process is gone. `unknown`: nobody here can tell. */
export type HolderState = "alive" | "stale" | "foreign" | "unknown";

export async function ownHolder(): Promise<LockHolder> {
  const running = await lookUpProcess(process.pid);
  return {
    pid: process.pid,
    ...(running === undefined ? {} : { startTime: running.startTime }),
    host: hostname(),
    time: new Date().toISOString(),
    nonce: randomUUID(),
  };
}

export const isReadable = (holder: FoundHolder): holder is LockHolder => "pid" in holder;

/** Who holds the lock at this path; undefined when nobody does. */
export async function readHolder(fileSystem: FileSystem, path: string): Promise<FoundHolder | undefined> {
  try {
    const text = await fileSystem.readFile(path, "utf8");
    const holder = parseHolder(text);
    if (holder !== undefined) return holder;
    const { ino, mtimeMs } = await fileSystem.stat(path);
    return { nonce: `unreadable-${ino}-${Math.floor(mtimeMs)}`, changedAt: mtimeMs };
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

export async function judgeHolder(holder: FoundHolder): Promise<HolderState> {
  if (!isReadable(holder)) return Date.now() - holder.changedAt > UNREADABLE_GRACE ? "stale" : "unknown";
  if (holder.host !== hostname()) return "foreign";
  if (!isRunning(holder.pid)) return "stale";
  const running = await lookUpProcess(holder.pid);
  if (running === undefined) return "alive";
  const isAnother = holder.startTime !== undefined && running.startTime !== holder.startTime;
  return running.hasEnded || isAnother ? "stale" : "alive";
}

/** The nonce becomes part of a file name, so it must look like one of ours. */
function parseHolder(text: string): LockHolder | undefined {
  try {
    const { pid, startTime, host, time, nonce } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid <= 0) return undefined;
    if (typeof host !== "string" || typeof time !== "string") return undefined;
    if (typeof nonce !== "string" || !/^[0-9a-f-]{36}$/.test(nonce)) return undefined;
    return { pid, host, time, nonce, ...(typeof startTime === "string" ? { startTime } : {}) };
  } catch {
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) !== "ESRCH";
  }
}

interface RunningProcess {
  readonly startTime: string;
  /** It has ended and only waits for its parent to notice. */
  readonly hasEnded: boolean;
}

/** Undefined where the system does not tell. */
async function lookUpProcess(pid: number): Promise<RunningProcess | undefined> {
  try {
    const [boot, stat] = await Promise.all([
      readFile("/proc/sys/kernel/random/boot_id", "utf8"),
      readFile(`/proc/${pid}/stat`, "utf8"),
    ]);
    // The name in parentheses may hold anything; the state is the first field after it, the start the 20th.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { startTime: `${boot.trim()}/${fields[19]}`, hasEnded: fields[0] === "Z" || fields[0] === "X" };
  } catch {
    return undefined;
  }
}
