import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { FailedFile } from "./results/policy-result.js";
import { RecordingError, recordingErrorOf } from "./readers/recording-error.js";
import { openRecordingFile } from "./rounds/recording-file.js";

export interface FoundRecordings {
  /** Each once. What was named as a file is here whatever it holds. */
  readonly files: readonly string[];
  /** Files of folders that hold byte for byte what another one of `files` holds: a conversation counts once. */
  readonly same: readonly { readonly file: string; readonly as: string }[];
  /** Folders without recordings, or that cannot be read. */
  readonly failed: readonly FailedFile[];
}

const RECORDING = /\.(?:jsonl|json|traj)$/;

/** Files as they are named; of a folder its own recordings in the order of their names, or, where it has none, those of the folders in it. */
export async function findRecordings(paths: readonly string[]): Promise<FoundRecordings> {
  const files = new Set<string>();
  const named = new Set<string>();
  const failed: FailedFile[] = [];
  for (const path of paths) {
    try {
      for (const file of await recordingsAt(path)) {
        files.add(file);
        if (file === path) named.add(file);
      }
    } catch (error) {
      failed.push({ file: path, error: recordingErrorOf(error).message });
    }
  }
  return { ...(await distinct([...files], named)), failed };
}

/** The first of each that hold the same, and all that were named. Only files of one size are compared. */
async function distinct(
  files: readonly string[],
  named: ReadonlySet<string>,
): Promise<Pick<FoundRecordings, "files" | "same">> {
  const sizes = new Map<number, string[]>();
  for (const file of files) {
    const size = (await stat(file).catch(() => undefined))?.size;
    if (size !== undefined) sizes.set(size, [...(sizes.get(size) ?? []), file]);
  }
  const same = new Map<string, string>();
  for (const group of sizes.values()) {
    if (group.length < 2) continue;
    const seen = new Map<string, string>();
    for (const file of group) {
      const digest = await digestOf(file);
      const first = digest === undefined ? undefined : seen.get(digest);
      if (first !== undefined && !named.has(file)) same.set(file, first);
      else if (digest !== undefined) seen.set(digest, file);
    }
  }
  return {
    files: files.filter((file) => !same.has(file)),
    same: [...same].map(([file, as]) => ({ file, as })),
  };
}

/** Undefined for what cannot be read: whoever plays it says why. */
async function digestOf(file: string): Promise<string | undefined> {
  const hash = createHash("sha256");
  try {
    for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
    return hash.digest("hex");
  } catch {
    return undefined;
  }
}

/** As deep as agents divide their folders by project, year, month and day. */
const MOST_DEPTH = 5;

async function recordingsAt(path: string): Promise<readonly string[]> {
  const stats = await stat(path).catch(() => undefined);
  if (stats?.isDirectory() !== true) return [path];
  const found = await recordingsIn(path, MOST_DEPTH);
  if (found.length === 0) {
    throw new RecordingError("no_messages", "holds no recordings (.jsonl, .json, .traj)");
  }
  return found;
}

/** A folder in it that cannot be read, or is hidden, holds none. */
async function recordingsIn(path: string, depth: number): Promise<readonly string[]> {
  const entries = await readdir(path, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile() && RECORDING.test(entry.name));
  const found: string[] = [];
  for (const { name } of names) {
    const file = join(path, name);
    if (!name.endsWith(".json") || (await isRecording(file))) found.push(file);
  }
  if (found.length > 0 || depth === 0) return found.toSorted();
  const folders = entries.filter((entry) => entry.isDirectory() && !/^\.|^node_modules$/.test(entry.name));
  for (const name of folders.map((folder) => folder.name).toSorted()) {
    found.push(...(await recordingsIn(join(path, name), depth - 1).catch(() => [])));
  }
  return found;
}

/** In a folder, a `.json` that nobody can read is something else than a recording. */
async function isRecording(file: string): Promise<boolean> {
  try {
    await openRecordingFile(file);
    return true;
  } catch (error) {
    return !(error instanceof RecordingError && error.code === "unknown_format");
  }
}
