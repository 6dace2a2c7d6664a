import type { AssistantBlock, CacheControl, TextBlock } from "../../messages/content.js";
import type { RequestMessage } from "../../messages/content.js";

/** The shapes of the Messages API on the wire, as far as this project reads or writes them. */

export interface WireTool {
  readonly name: string;
  readonly type?: string | null;
  readonly description?: string;
  readonly input_schema?: Readonly<Record<string, unknown>>;
  readonly cache_control?: CacheControl | null;
  readonly [field: string]: unknown;
}

export interface WireRequest {
  readonly model: string;
  readonly max_tokens: number;
  readonly messages: readonly RequestMessage[];
  readonly system?: string | readonly TextBlock[];
  readonly tools?: readonly WireTool[];
  readonly tool_choice?: Readonly<Record<string, unknown>>;
  readonly thinking?: Readonly<Record<string, unknown>>;
  readonly stream?: boolean;
  readonly cache_control?: CacheControl | null;
  readonly [field: string]: unknown;
}

/** Usage as it is reported; figures that a server leaves out or sets to null are not known. */
export interface WireUsage {
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
  readonly iterations?: readonly WireIteration[] | null;
  readonly [field: string]: unknown;
}

export interface WireIteration {
  readonly type: string;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
  readonly [field: string]: unknown;
}

export interface WireMessage {
  readonly id: string;
  readonly type: "message";
  readonly role: "assistant";
  readonly model: string;
  readonly content: readonly AssistantBlock[];
  readonly stop_reason: string | null;
  readonly stop_sequence: string | null;
  readonly usage: WireUsage;
  readonly context_management?: {
    readonly applied_edits: readonly Readonly<Record<string, unknown>>[];
  } | null;
  readonly diagnostics?: Readonly<Record<string, unknown>> | null;
  readonly [field: string]: unknown;
}

export interface WireErrorBody {
  readonly type: "error";
  readonly error: {
    readonly type: string;
    readonly message: string;
    readonly details?: { readonly error_code?: string } | null;
  };
  readonly request_id?: string | null;
}

export type WireDelta =
  | { readonly type: "text_delta"; readonly text: string }
  | { readonly type: "input_json_delta"; readonly partial_json: string }
  | { readonly type: "thinking_delta"; readonly thinking: string }
  | { readonly type: "signature_delta"; readonly signature: string }
  | { readonly type: "citations_delta"; readonly citation: unknown }
  | {
      readonly type: "compaction_delta";
      readonly content: string | null;
      readonly encrypted_content?: string | null;
    };

/** The events of a streamed response, in their order: start, blocks, delta, stop; `ping` and `error` anywhere. */
export type WireEvent =
  | { readonly type: "message_start"; readonly message: WireMessage }
  | { readonly type: "content_block_start"; readonly index: number; readonly content_block: AssistantBlock }
  | { readonly type: "content_block_delta"; readonly index: number; readonly delta: WireDelta }
  | { readonly type: "content_block_stop"; readonly index: number }
  | {
      readonly type: "message_delta";
      readonly delta: {
        readonly stop_reason: string | null;
        readonly stop_sequence: string | null;
        readonly [field: string]: unknown;
      };
      readonly usage: Partial<WireUsage>;
      readonly context_management?: WireMessage["context_management"];
    }
  | { readonly type: "message_stop" }
  | { readonly type: "ping" }
  | { readonly type: "error"; readonly error: WireErrorBody["error"] };
