import type { Fields } from "../readers/recording.js";

/** A recorded call together with its result. */
export interface RecordedCall {
  readonly id: string;
  readonly name: string;
  readonly input: Fields;
  /** The text of the result; undefined where it shows something else, such as a picture. */
  readonly text: string | undefined;
  readonly isError: boolean;
  /** When the result was there: milliseconds since the epoch. */
  readonly at: number;
}
