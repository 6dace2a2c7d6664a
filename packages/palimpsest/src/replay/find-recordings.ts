import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { FailedFile } from "./measures/policy-result.js";
import { RecordingError, recordingErrorOf } from "./readers/recording-error.js";
import { openRecordingFile } from "./rounds/recording-file.js";

export interface FoundRecordings {
  /** Each once. What was named as a file is here whatever it holds. */
  readonly files: readonly string[];
  /** Folders without recordings, or that cannot be read. */
  readonly failed: readonly FailedFile[];
}

const RECORDING = /\.(?:jsonl|json|traj)$/;

/** Files as they are named; of a folder its own recordings, in the order of their names. */
export async function findRecordings(paths: readonly string[]): Promise<FoundRecordings> {
  const files = new Set<string>();
  const failed: FailedFile[] = [];
  for (const path of paths) {
    try {
      for (const file of await recordingsAt(path)) files.add(file);
    } catch (error) {
      failed.push({ file: path, error: recordingErrorOf(error).message });
    }
  }
  return { files: [...files], failed };
}

async function recordingsAt(path: string): Promise<readonly string[]> {
  const stats = await stat(path).catch(() => undefined);
  if (stats?.isDirectory() !== true) return [path];
  const entries = await readdir(path, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile() && RECORDING.test(entry.name));
  const found: string[] = [];
  for (const { name } of names) {
    const file = join(path, name);
    if (!name.endsWith(".json") || (await isRecording(file))) found.push(file);
  }
  if (found.length === 0) {
    throw new RecordingError("no_messages", "holds no recordings (.jsonl, .json, .traj)");
  }
  return found.toSorted();
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
