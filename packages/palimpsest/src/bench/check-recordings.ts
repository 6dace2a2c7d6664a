import { findRecordings } from "../replay/find-recordings.js";
import type { FailedFile } from "../replay/results/policy-result.js";
import { RecordingError } from "../replay/readers/read-recording.js";
import { openConversation } from "../replay/rounds/open-conversation.js";

export interface CheckedRecordings {
  /** Those that can be read to their end. */
  readonly files: readonly string[];
  /** What is no recording, with the end of a sentence that starts with its name. */
  readonly failed: readonly FailedFile[];
  /** Of these files so many lines cannot be read; the rest can. */
  readonly damaged: readonly { readonly file: string; readonly lines: number }[];
}

/** Goes through files and folders once, so that what is wrong is known before anything that takes long begins. */
export async function checkRecordings(
  paths: readonly string[],
  tell: (text: string) => void = () => {},
): Promise<CheckedRecordings> {
  const found = await findRecordings(paths);
  const files: string[] = [];
  const failed = [...found.failed];
  const damaged: { readonly file: string; readonly lines: number }[] = [];
  for (const [index, file] of found.files.entries()) {
    tell(`reading ${index + 1} of ${found.files.length}: ${file}`);
    try {
      const { damagedLines } = (await openConversation(file)).overview;
      files.push(file);
      if (damagedLines > 0) damaged.push({ file, lines: damagedLines });
    } catch (error) {
      if (!(error instanceof RecordingError)) throw error;
      failed.push({ file, error: error.message });
    }
  }
  return { files, failed, damaged };
}
