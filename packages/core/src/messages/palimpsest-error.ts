import type { ApiFailureKind } from "./call/failure.js";

/** Why something was thrown. Packages and stores may add codes of their own. */
export type PalimpsestErrorCode =
  /** The API did not answer, or somebody called it off; `cause` is the failure as a value. */
  | ApiFailureKind
  /** No request can be sent: the conversation is held; `cause` has what was tried. */
  | "window-full"
  | "compaction-failed"
  | "no-room"
  | "no-messages"
  /** `ask` was made while another one is under way. */
  | "busy"
  /** There is nobody to ask. */
  | "no-provider"
  /** The model goes on calling tools, and may not make more requests. */
  | "max-turns"
  /** What was handed in cannot be. */
  | "bad_option"
  | "bad_message"
  /** Of stores. */
  | "locked"
  | "not_found"
  | "bad_id"
  | "closed"
  | "io"
  /** Something that was handed in (a provider, a store) threw; `cause` is what it threw. */
  | "unexpected";

const brand = Symbol.for("palimpsest.error");

/**
 * What is thrown here; `message` is one sentence for a person. Know it by `isPalimpsestError`, also where a program has
 * loaded two copies of the package. One that was called off is named `AbortError`, as everywhere.
 */
export class PalimpsestError<Code extends string = PalimpsestErrorCode> extends Error {
  readonly code: Code;

  constructor(code: Code, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = code === "aborted" ? "AbortError" : "PalimpsestError";
    this.code = code;
    Object.defineProperty(this, brand, { value: true });
  }
}

/** Whether it is one of ours and, where a code is named, of that code. */
export function isPalimpsestError<Code extends string = PalimpsestErrorCode>(
  error: unknown,
  code?: Code,
): error is PalimpsestError<Code> {
  return (
    error instanceof Error &&
    brand in error &&
    (code === undefined || (error as { code?: unknown }).code === code)
  );
}
