import type { ApiFailure } from "../../messages/call/failure.js";
import type { ModelRequest } from "../../messages/call/request.js";
import type { StreamOutput } from "../../messages/call/stream.js";
import type { ProviderCapabilities } from "../prompt/capabilities.js";

/** One call, as it is handed to whoever makes it. */
export interface ModelCall {
  /** The `stream` field is the provider's own matter. */
  readonly request: ModelRequest;
  readonly betas?: readonly string[];
  /** Headers beside those of the protocol: what varies by request and must stay out of the prompt. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Told before each wait: which attempt failed (from 1), why, and how long the wait is. */
  readonly onRetry?: (retry: {
    readonly attempt: number;
    readonly failure: ApiFailure;
    readonly waitMs: number;
  }) => void;
}

/** What a provider yields. A stream that breaks its protocol is reported as a failure. */
export type ModelOutput = Exclude<StreamOutput, { readonly kind: "violation" }>;

/** Where calls to models go. */
export interface ModelProvider {
  readonly name: string;
  /** What is known of this model here; models that nobody knows get the provider's cautious defaults. */
  capabilities(model: string): ProviderCapabilities;
  /**
   * Streams one response. Never throws: the last output is either the whole `message` or an `error`, whose
   * failure is `aborted` where the caller's signal said so. Failures that may pass are retried as long as no
   * content was yielded; afterwards they end the stream.
   */
  stream(call: ModelCall, options?: CallOptions): AsyncIterable<ModelOutput>;
}
