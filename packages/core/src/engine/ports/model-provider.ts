import type { ApiFailure } from "../../messages/call/failure.js";
import type { ModelResponse, ResponseUsage } from "../../messages/call/response.js";
import type { SendableRequest } from "../../messages/call/sendable-request.js";
import type { StreamOutput } from "../../messages/call/stream.js";
import type { ProviderCapabilities } from "./capabilities.js";

/** One call, as it is handed to whoever makes it. The official client takes `request` as it is. */
export interface ModelCall {
  /** The `stream` field is the provider's own matter. */
  readonly request: SendableRequest;
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
  /**
   * Told how far an attempt has come, at once and whatever is yielded of it: without it nobody knows what is billed
   * for calls that are cut off. A provider that does not tell loses those from the account.
   */
  readonly onProgress?: (progress: CallProgress) => void;
}

export type CallProgress =
  /** The request goes out: from here on it may be billed. Once for each attempt. */
  | { readonly kind: "sent" }
  /** The response begins: its model, and the usage of its input. */
  | { readonly kind: "start"; readonly message: ModelResponse }
  /** What the whole response is billed for, before its end. */
  | { readonly kind: "usage"; readonly usage: ResponseUsage };

/** What a provider yields. A stream that breaks its protocol is reported as a failure, its usage as progress. */
export type ModelOutput = Exclude<StreamOutput, { readonly kind: "violation" | "usage" }>;

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
