import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Message } from "@palimpsest/core";
import { openConversationRecording, type ConversationRecording } from "./conversation-recording.js";

export interface RecordingFolder {
  /**
   * The recording of this name below the folder, without its ending. `onMessage` is told of what it holds where it has to be
   * read: those that were longest not asked for are forgotten.
   */
  file(place: string, sessionId: string, onMessage?: (message: Message) => void): ConversationRecording;
}

export interface RecordingFolderOptions {
  readonly now: () => number;
  /** A text without what must not be written. */
  readonly redact: (text: string) => string;
  /** Bytes that this process writes at most; after that nothing more is recorded. */
  readonly mostBytes?: number;
  /** How much of its files is remembered at once. */
  readonly mostRemembered?: number;
}

const MOST_BYTES = 1024 * 1024 * 1024;
const MOST_REMEMBERED = 400_000;
const OLDEST_MS = 30 * 24 * 60 * 60 * 1000;
/** Files that a recorder of this program has made. */
const OWN = /^(?:gateway|palimpsest)-[\w.-]+\.jsonl$/;

/** A folder of recordings, private. Those of more than thirty days are removed when it is opened. Throws as the disk does. */
export function openRecordingFolder(folder: string, options: RecordingFolderOptions): RecordingFolder {
  const { now, redact, mostBytes = MOST_BYTES, mostRemembered = MOST_REMEMBERED } = options;
  const files = new Map<string, ConversationRecording>();
  let bytes = 0;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  removeOld(folder, now() - OLDEST_MS);
  const account = (more: number): void => {
    if (bytes + more > mostBytes) {
      throw new Error(
        `more than ${Math.round(mostBytes / 1024 / 1024).toLocaleString("en-US")} MB were recorded`,
      );
    }
    bytes += more;
  };
  return {
    file(place, sessionId, onMessage) {
      const file =
        files.get(place) ??
        openConversationRecording(join(folder, `${place}.jsonl`), {
          sessionId,
          redact,
          account,
          ...(onMessage === undefined ? {} : { onMessage }),
        });
      files.delete(place);
      files.set(place, file);
      let remembered = 0;
      for (const [name, { size }] of [...files].toReversed()) {
        remembered += size();
        if (remembered > mostRemembered && name !== place) files.delete(name);
      }
      return file;
    },
  };
}

function removeOld(folder: string, before: number): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      for (const name of readdirSync(path)) removeIfOld(join(path, name), name, before);
    } else removeIfOld(path, entry.name, before);
  }
}

function removeIfOld(path: string, name: string, before: number): void {
  if (OWN.test(name) && statSync(path).mtimeMs < before) rmSync(path, { force: true });
}
