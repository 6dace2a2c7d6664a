import type { ModelProvider } from "../../engine/ports/model-provider.js";

/** How a turn of the server fails. */
export type ScriptedFault =
  /** 429, with a `retry-after` of no more than a few milliseconds. */
  | "rate-limit"
  /** 529; a chat server: 503. */
  | "overloaded"
  /** 500. */
  | "server-error"
  /** 401. */
  | "unauthorized"
  /** The prompt does not fit into the window. */
  | "overflow"
  /** The connection is cut before the response begins. */
  | "cut-before"
  /** The response begins, and breaks off before any content. */
  | "cut-after-start"
  /** The connection is cut after some of the text. */
  | "cut-mid-text"
  /** An error of the server's after some of the text. */
  | "error-mid-text"
  /** 200, and then something that is not the protocol. */
  | "garbage"
  /** The response begins, and then nothing comes until the client goes away. */
  | "hang";

/** What the server does with one attempt. */
export interface ScriptedTurn {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly input: Readonly<Record<string, unknown>> }[];
  /** The turn fails; a fault in the middle of the text fails in the middle of `text`. */
  readonly fault?: ScriptedFault;
}

/** A provider and the server after it. */
export interface ProviderHarness {
  /** With the settings that `CreateProviderHarness` asks for. */
  readonly provider: ModelProvider;
  readonly model: string;
  /** Attempts that reached the server so far. */
  requests(): number;
  close(): Promise<void>;
}

/**
 * Starts a server that takes the turns in their order, one for each attempt that reaches it, and a provider in
 * front of it that retries quickly: two retries at most, waits that start at 1 ms and end at 5 ms.
 */
export type CreateProviderHarness = (script: readonly ScriptedTurn[]) => Promise<ProviderHarness>;

export interface ModelProviderCase {
  readonly name: string;
  /** Rejects with an `Error` that says what the provider did wrong. */
  run(create: CreateProviderHarness): Promise<void>;
}
