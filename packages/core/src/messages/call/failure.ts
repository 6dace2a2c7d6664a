/** What the text of an overflow says in figures; a figure that it does not have is absent. */
export interface Overflow {
  /** What the request would need: its prompt, and the answer's `requestedOutputTokens` where they count too. */
  readonly actualTokens?: number;
  readonly maximumTokens?: number;
  /** The part that is `max_tokens`: older models count it, and asking for less may be enough. */
  readonly requestedOutputTokens?: number;
}

export type ApiFailureKind = ApiFailure["kind"];

/** Why the API did not answer. A value, not an exception; what the API did not say is absent. */
export type ApiFailure = OverflowFailure | PlainFailure;

interface FailureFacts {
  readonly message: string;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** How long the server asks to wait. */
  readonly retryAfterMs?: number;
  readonly status?: number;
  /** The type as it was on the wire. */
  readonly type?: string;
  readonly errorCode?: string;
  readonly requestId?: string;
  /** No connection was made: the request never reached a server, and nobody bills it. */
  readonly isUnsent?: boolean;
}

/** The prompt, or the prompt and the answer it leaves room for, do not fit into the model's window. */
export interface OverflowFailure extends FailureFacts, Overflow {
  readonly kind: "context-overflow";
}

export interface PlainFailure extends FailureFacts {
  readonly kind:
    /** Too many bytes, whatever their tokens. */
    | "request-too-large"
    | "rate-limit"
    | "overloaded"
    | "authentication"
    | "permission"
    | "billing"
    | "not-found"
    | "invalid-request"
    | "conflict"
    | "timeout"
    /** No server was reached, or the connection broke. */
    | "connection"
    /** The caller called it off. */
    | "aborted"
    /** A fault of the server, or one that nothing is known about. */
    | "api";
}
