import type { AssistantBlock } from "../content.js";
import type { ApiFailure } from "./failure.js";
import type { ModelResponse, ResponseUsage } from "./response.js";

export interface ClosedBlock {
  readonly block: AssistantBlock;
  /** The input of a call as it was streamed, where it is not the JSON it should be; the block then has `{}`. */
  readonly malformedInput?: string;
}

/** What a streamed response tells, piece by piece, whatever the protocol. */
export type StreamOutput =
  /** The message as far as it is known at the start: its id, model and the usage of its input. */
  | { readonly kind: "start"; readonly message: ModelResponse }
  /** The block as far as it is known at its start: of a call the id and the name. */
  | { readonly kind: "block-start"; readonly index: number; readonly block: AssistantBlock }
  /** The next piece; never empty. The pieces of a block add up to its text, thinking, or input as JSON. */
  | { readonly kind: "text"; readonly index: number; readonly text: string }
  | { readonly kind: "thinking"; readonly index: number; readonly thinking: string }
  | { readonly kind: "tool-input"; readonly index: number; readonly json: string }
  | ({ readonly kind: "block"; readonly index: number } & ClosedBlock)
  /** What all of it is billed for, once that is known: the end may still not arrive. */
  | { readonly kind: "usage"; readonly usage: ResponseUsage }
  /** The same message that the API gives without streaming. */
  | { readonly kind: "message"; readonly message: ModelResponse }
  /** The API broke off. Final, as is a violation. */
  | { readonly kind: "error"; readonly failure: ApiFailure }
  | { readonly kind: "violation"; readonly violation: StreamViolation };

export interface StreamViolation {
  readonly code:
    /** No event, or a known one without what it must have. */
    | "malformed-event"
    /** A known event where it cannot stand. */
    | "unexpected-event"
    /** An index that is not that of the block in question. */
    | "wrong-index"
    /** A delta of a kind that the open block cannot take. */
    | "wrong-delta"
    /** The stream ended before the message did. */
    | "truncated";
  readonly detail: string;
}
