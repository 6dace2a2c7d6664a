import { TranscriptError } from "@palimpsest/core";
import { systemCode } from "./file-system.js";

/** Carries the work out; whatever it throws becomes a `TranscriptError` that says `what` failed. */
export async function withIoErrors<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof TranscriptError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TranscriptError("io", `${what} (${reason}); ${advice(systemCode(cause))}.`, { cause });
  }
}

function advice(code: string | undefined): string {
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      return "make room on the disk and try again";
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return "check who may write there, or choose another directory";
    case "EMFILE":
    case "ENFILE":
      return "too many files are open, close some and try again";
    case "EISDIR":
    case "ENOTDIR":
    case "EEXIST":
      return "something else has that name, move it away";
    default:
      return "try again, and check the disk if it fails again";
  }
}
