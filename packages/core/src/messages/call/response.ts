import type { AssistantBlock } from "../content.js";

/** Usage as it is reported; figures that a server leaves out or sets to null are not known. */
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
  readonly service_tier?: string | null;
  /** What was billed call by call, where the server did more than one. */
  readonly iterations?: readonly UsageIteration[] | null;
  readonly [field: string]: unknown;
}

export interface UsageIteration {
  readonly type: string;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
  readonly [field: string]: unknown;
}

/** A whole response of a model. */
export interface ModelResponse {
  readonly id: string;
  readonly type: "message";
  readonly role: "assistant";
  readonly model: string;
  readonly content: readonly AssistantBlock[];
  readonly stop_reason: string | null;
  readonly stop_sequence: string | null;
  readonly usage: ResponseUsage;
  readonly context_management?: {
    readonly applied_edits: readonly Readonly<Record<string, unknown>>[];
  } | null;
  readonly diagnostics?: Readonly<Record<string, unknown>> | null;
  readonly [field: string]: unknown;
}
