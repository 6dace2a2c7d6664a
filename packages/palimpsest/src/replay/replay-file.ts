import type { FailedFile, FileResult } from "./results/policy-result.js";
import type { Tally } from "./results/tally.js";
import { playConversation, type PlayOptions } from "./play/play-conversation.js";
import { parsePolicies } from "./policies/parse-policies.js";
import { RecordingError } from "./readers/read-recording.js";
import { openConversation } from "./rounds/open-conversation.js";

/** What is asked for, in plain data: it travels to workers. */
export interface ReplayTask extends Omit<PlayOptions, "policies" | "onProgress" | "summaries"> {
  readonly policies: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type FilePlayed =
  | { readonly result: FileResult; readonly tallies: Readonly<Record<string, Tally>> }
  | { readonly failed: FailedFile };

/** Plays one file; `here` is what cannot travel. One that is no recording fails with a sentence; nothing else does. */
export async function replayFile(
  file: string,
  task: ReplayTask,
  here: Pick<PlayOptions, "onProgress" | "summaries"> = {},
): Promise<FilePlayed> {
  const { policies, env, ...options } = task;
  try {
    const { result, tallies } = await playConversation(await openConversation(file), {
      ...options,
      policies: parsePolicies(policies, env),
      ...here,
    });
    return { result: { file, ...result }, tallies };
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error;
    return { failed: { file, error: error.message } };
  }
}
