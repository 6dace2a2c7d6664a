import { PalimpsestError } from "@palimpsest/core";

export type RecordingErrorCode =
  | "not_found"
  | "unreadable"
  | "not_a_file"
  | "empty"
  | "binary"
  | "unknown_format"
  | "no_messages";

/** Why a file is no recording; `message` continues a sentence that starts with the file's name. */
export class RecordingError extends PalimpsestError<RecordingErrorCode> {
  override readonly name = "RecordingError";
}

/** What went wrong when a file was read, as a `RecordingError`. */
export function recordingErrorOf(error: unknown): RecordingError {
  if (error instanceof RecordingError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT" || code === "ENOTDIR") {
    return new RecordingError("not_found", "does not exist", { cause: error });
  }
  return new RecordingError("unreadable", `cannot be read (${code ?? message})`, { cause: error });
}
