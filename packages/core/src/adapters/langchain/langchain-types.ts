import type { Fields } from "../../messages/fields.js";

/**
 * LangChain's own shapes, as far as they are looked at. Written down here so that the core compiles without the
 * framework; that the framework's types fit is checked where the adapter is tested.
 */

/** A message of an agent's state. */
export interface LangChainMessage {
  readonly type: string;
  readonly content: unknown;
}

/** What `wrapModelCall` is handed. */
export interface LangChainRequest {
  readonly model: object;
  readonly messages: readonly LangChainMessage[];
  readonly systemMessage: LangChainMessage;
  readonly tools: readonly unknown[];
  readonly toolChoice?: unknown;
  readonly modelSettings?: object;
  readonly responseFormat?: unknown;
  readonly runtime: {
    readonly configurable?: Readonly<Record<string, unknown>>;
    readonly signal?: AbortSignal;
  };
}

/** A model as it is asked beside the agent. */
export interface AskedModel extends Fields {
  readonly invoke: (messages: readonly object[], options: object) => PromiseLike<unknown>;
  readonly bindTools?: (tools: readonly unknown[], options: object) => AskedModel;
}
