import type { ModelResponse, ResponseUsage } from "../../messages/call/response.js";
import type { AssistantBlock } from "../../messages/content.js";

/** The shapes of the Messages API on the wire, as far as this project reads or writes them. */

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
  | { readonly type: "message_start"; readonly message: ModelResponse }
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
      readonly usage: Partial<ResponseUsage>;
      readonly context_management?: ModelResponse["context_management"];
    }
  | { readonly type: "message_stop" }
  | { readonly type: "ping" }
  | { readonly type: "error"; readonly error: WireErrorBody["error"] };
