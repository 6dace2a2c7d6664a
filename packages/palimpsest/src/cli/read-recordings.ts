import { readRecording, RecordingError } from "../replay/readers/read-recording.js";
import type { Recording } from "../replay/readers/recording.js";
import { createProgress, printable, type Terminal } from "./terminal.js";

export type ReadFile =
  | { readonly file: string; readonly recording: Recording }
  | { readonly file: string; readonly error: RecordingError };

/** Reads files one after another, with a progress line; one that is no recording does not stop the rest. */
export async function* readRecordings(
  files: readonly string[],
  terminal: Terminal,
): AsyncGenerator<ReadFile> {
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

/** One sentence on stderr about a file. */
export function complain(terminal: Terminal, file: string, what: string): void {
  terminal.stderr.write(`palimpsest: ${printable(`${file} ${what}`)}\n`);
}
