import type { HeaderReader } from "./headers.js";

/** What a failed call came back with. */
export interface ErrorResponse {
  /** Undefined for an `error` event in a stream. */
  readonly status?: number | undefined;
  readonly headers?: HeaderReader | undefined;
  /** Parsed or as text; anything a server or something before it may answer. */
  readonly body: unknown;
  /** The time in milliseconds, to read a `retry-after` that is a date; without it such a date is not read. */
  readonly now?: number | undefined;
}
