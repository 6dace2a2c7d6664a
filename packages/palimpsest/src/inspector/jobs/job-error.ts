import { PalimpsestError } from "@palimpsest/core";

export type JobErrorCode = "bad_policy" | "bad_window" | "already_running" | "too_many" | "closed";

/** Why a job cannot be started; `message` is a sentence for people. */
export class JobError extends PalimpsestError<JobErrorCode> {
  override readonly name = "JobError";
}
