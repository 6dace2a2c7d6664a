import type { CacheControl, RequestMessage, TextBlock } from "../content.js";

/** A tool as the model is told of it. Further fields go along as they are. Those of the official client fit. */
export interface ToolDefinition {
  readonly name: string;
  readonly type?: string | null;
  readonly description?: string;
  readonly input_schema?: Readonly<Record<string, unknown>>;
  readonly cache_control?: CacheControl | null;
  readonly defer_loading?: boolean;
}

/** A call to a model, in the vocabulary of the Messages API; protocols turn it into what their servers take. */
export interface ModelRequest {
  readonly model: string;
  readonly max_tokens: number;
  readonly messages: readonly RequestMessage[];
  readonly system?: string | readonly TextBlock[];
  readonly tools?: readonly ToolDefinition[];
  readonly tool_choice?: Readonly<Record<string, unknown>>;
  readonly thinking?: Readonly<Record<string, unknown>>;
  readonly stream?: boolean;
  readonly cache_control?: CacheControl | null;
  readonly [field: string]: unknown;
}
