import type { Fields } from "../../messages/fields.js";

/**
 * The AI SDK's own shapes, as far as they are looked at. Written down here so that the core compiles without the
 * framework; that the framework's types fit is checked where the adapter is tested.
 */

/** A message of a prompt: of a model call, or of the calls above it. */
export interface SdkMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: unknown;
  readonly providerOptions?: unknown;
}

/** A part of a message. */
export interface SdkPart extends Fields {
  readonly type: string;
}

/** The options of a model call. */
export interface SdkCallOptions {
  readonly prompt: readonly SdkMessage[];
  readonly tools?: readonly object[];
  readonly maxOutputTokens?: number;
  readonly toolChoice?: unknown;
  readonly responseFormat?: unknown;
  /** How much the model is to think, since version 7. */
  readonly reasoning?: unknown;
  /** As the caller gave them, with what the framework adds. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** By provider, as the caller gave them: a place for what the caller's own functions need to know. */
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly abortSignal?: AbortSignal;
}

/** What a model answered. */
export interface SdkGenerated {
  readonly content: readonly object[];
  readonly finishReason: unknown;
  readonly usage: unknown;
  readonly response?: object;
}

export interface SdkStreamed {
  readonly stream: object;
}

export interface SdkModel {
  readonly modelId: string;
  readonly provider: string;
  /** `v4` since version 7: files stand in their parts otherwise. */
  readonly specificationVersion?: string;
}
