import type { AssistantBlock } from "../content.js";

/**
 * Usage as it is reported; figures that a server leaves out or sets to null are not known. Further fields are kept as
 * they came.
 */
export interface ResponseUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
  readonly cache_creation?: {
    readonly ephemeral_5m_input_tokens: number;
    readonly ephemeral_1h_input_tokens: number;
  } | null;
  readonly output_tokens_details?: { readonly thinking_tokens: number } | null;
  /** What an edit of the cached prefix has removed from it. */
  readonly cache_deleted_input_tokens?: number | null;
  readonly service_tier?: string | null;
  readonly inference_geo?: string | null;
  readonly speed?: string | null;
  readonly server_tool_use?: object | null;
  /** What was billed call by call, where the server did more than one. */
  readonly iterations?: readonly UsageIteration[] | null;
}

export interface UsageIteration {
  readonly type: string;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
  readonly cache_creation?: ResponseUsage["cache_creation"];
}

/** A whole response of a model. The messages of the official client are responses as they are. */
export interface ModelResponse {
  readonly id: string;
  readonly type: "message";
  readonly role: "assistant";
  readonly model: string;
  readonly content: readonly AssistantBlock[];
  readonly stop_reason: string | null;
  readonly stop_sequence: string | null;
  readonly usage: ResponseUsage;
  readonly context_management?: { readonly applied_edits: readonly object[] } | null;
  readonly diagnostics?: object | null;
  readonly stop_details?: object | null;
  readonly container?: object | null;
  readonly input_transformations?: unknown;
}
