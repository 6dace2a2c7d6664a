import { readRecording, RecordingError } from "../replay/readers/read-recording.js";
import type { Recording } from "../replay/readers/recording.js";
import { createProgress, printable, type Terminal } from "./terminal.js";

export type ReadFile =
  | { readonly file: string; readonly recording: Recording }
  | { readonly file: string; readonly error: RecordingError };

/** Reads files one after another, with a progress line; one that is no recording does not stop the rest. */
async function* readRecordings(files: readonly string[], terminal: Terminal): AsyncGenerator<ReadFile> {
  const progress = createProgress(terminal.stderr);
  for (const [index, file] of files.entries()) {
    progress.show(`reading ${index + 1} of ${files.length}: ${file}`);
    let read: ReadFile;
    try {
      read = { file, recording: await readRecording(file) };
    } catch (error) {
      if (!(error instanceof RecordingError)) throw error;
      read = { file, error };
    }
    progress.clear();
    yield read;
  }
}

/** The same for files and folders: of a folder its own recordings, and of those that hold the same the first. */
export async function* recordingsIn(paths: readonly string[], terminal: Terminal): AsyncGenerator<ReadFile> {
  const { findRecordings } = await import("../replay/find-recordings.js");
  const { files, failed, same } = await findRecordings(paths);
  for (const { file, as } of same) complain(terminal, file, `holds the same as ${as}, which is read once`);
  for (const { file, error } of failed) yield { file, error: new RecordingError("no_messages", error) };
  yield* readRecordings(files, terminal);
}

/** One sentence on stderr about a file. */
export function complain(terminal: Terminal, file: string, what: string): void {
  terminal.stderr.write(`palimpsest: ${printable(`${file} ${what}`)}\n`);
}
