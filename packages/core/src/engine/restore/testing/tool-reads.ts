import type { Message } from "../../../messages/message.js";
import { createSample, SAMPLE_START } from "../../tools/testing/sample.js";

export interface SampleRead {
  readonly path: string;
  readonly result?: string;
  readonly isError?: boolean;
  readonly name?: string;
  /** Milliseconds since the epoch. */
  readonly at?: number;
}

/** Messages in which a tool reads these files one after the other. */
export function readMessages(reads: readonly SampleRead[]): readonly Message[] {
  const sample = createSample();
  return reads.flatMap(({ path, result = "1\ttext", isError = false, name = "Read", at = SAMPLE_START }) => {
    sample.at = at;
    return sample.round({ calls: [{ name, input: { file_path: path }, result, isError }] });
  });
}
