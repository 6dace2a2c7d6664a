import type { ModelResponse } from "../../messages/call/response.js";
import type { StreamOutput, StreamViolation } from "../../messages/call/stream.js";
import type { AssistantBlock } from "../../messages/content.js";
import { inOrder, type BackwardList } from "../backward-list.js";
import { findBlockFault } from "./block-fault.js";
import { decodeError } from "./errors.js";
import { isFields, type Fields } from "../../messages/fields.js";
import { mergeMessageDelta } from "./message-delta.js";
import { accepts, closeBlock, readDelta, type OpenBlock } from "./open-block.js";
import { decodeResponse } from "./response.js";
import type { WireDelta } from "./wire.js";

/** Where a reader of a streamed response stands. Never changed in place; a delta costs the same at any length. */
export type StreamState =
  | { readonly phase: "waiting" }
  | ContentState
  /** All content is there; `message_stop` is to come. */
  | { readonly phase: "closing"; readonly message: ModelResponse }
  | { readonly phase: "finished" }
  /** After an error or a violation: whatever follows is ignored. */
  | { readonly phase: "failed" };

interface ContentState {
  readonly phase: "content";
  /** As `message_start` gave it, still without content. */
  readonly message: ModelResponse;
  readonly blocks: BackwardList<AssistantBlock>;
  /** How many blocks have begun. */
  readonly begun: number;
  readonly open: OpenBlock | undefined;
}

export interface StreamStep {
  readonly state: StreamState;
  readonly outputs: readonly StreamOutput[];
}

/** The state before the first event of a response. */
export function startStream(): StreamState {
  return { phase: "waiting" };
}

/** Reads the next event: the parsed data of a server-sent event. Unknown kinds are ignored. Never throws. */
export function stepStream(state: StreamState, event: unknown): StreamStep {
  if (state.phase === "failed") return unchanged(state);
  if (!isFields(event) || typeof event["type"] !== "string") {
    return violate("malformed-event", "an event without a type");
  }
  switch (event["type"]) {
    case "error":
      return {
        state: { phase: "failed" },
        outputs: [{ kind: "error", failure: decodeError({ body: event }) }],
      };
    case "message_start":
      return state.phase === "waiting" ? startMessage(event) : misplaced(event, state);
    case "content_block_start":
      return isBetweenBlocks(state) ? startBlock(state, event) : misplaced(event, state);
    case "content_block_delta":
      return continueBlock(state, event);
    case "content_block_stop":
      return hasOpenBlock(state) ? stopBlock(state, event) : misplaced(event, state);
    case "message_delta":
      return isBetweenBlocks(state) || state.phase === "closing"
        ? changeMessage(state, event)
        : misplaced(event, state);
    case "message_stop":
      return state.phase === "closing"
        ? { state: { phase: "finished" }, outputs: [{ kind: "message", message: state.message }] }
        : misplaced(event, state);
    default:
      return unchanged(state);
  }
}

/** What is to be said when nothing more comes: a violation, unless the message or an error was given. */
export function endStream(state: StreamState): readonly StreamOutput[] {
  if (state.phase === "finished" || state.phase === "failed") return [];
  return violate("truncated", "the stream ended before message_stop").outputs;
}

type Between = ContentState & { readonly open: undefined };
type WithinBlock = ContentState & { readonly open: OpenBlock };

function isBetweenBlocks(state: StreamState): state is Between {
  return state.phase === "content" && state.open === undefined;
}

function hasOpenBlock(state: StreamState): state is WithinBlock {
  return state.phase === "content" && state.open !== undefined;
}

function startMessage(event: Fields): StreamStep {
  const decoded = decodeResponse(event["message"]);
  if (decoded.kind !== "message" || decoded.message.content.length > 0) {
    return violate("malformed-event", "message_start without a message of empty content");
  }
  const { message } = decoded;
  return {
    state: { phase: "content", message, blocks: undefined, begun: 0, open: undefined },
    outputs: [{ kind: "start", message }],
  };
}

function startBlock(state: Between, event: Fields): StreamStep {
  const index = state.begun;
  if (event["index"] !== index) return wrongIndex(event, index);
  const fault = findBlockFault(event["content_block"]);
  if (fault !== undefined) {
    return violate(
      "malformed-event",
      `content_block_start: ${fault.field ?? "content_block"} must be ${fault.expected}`,
    );
  }
  const block = event["content_block"] as AssistantBlock;
  const outputs: StreamOutput[] = [{ kind: "block-start", index, block }];
  if (block.type === "text" && block.text !== "") outputs.push({ kind: "text", index, text: block.text });
  if (block.type === "thinking" && block.thinking !== "") {
    outputs.push({ kind: "thinking", index, thinking: block.thinking });
  }
  return {
    state: {
      ...state,
      message: withServingModel(state.message, event["content_block"]),
      begun: index + 1,
      open: { start: block, deltas: undefined },
    },
    outputs,
  };
}

/** A `fallback` block says that another model goes on; the message then bears the name of that one. */
function withServingModel(message: ModelResponse, block: unknown): ModelResponse {
  if (!isFields(block) || block["type"] !== "fallback" || !isFields(block["to"])) return message;
  const { model } = block["to"];
  return typeof model === "string" ? { ...message, model } : message;
}

function continueBlock(state: StreamState, event: Fields): StreamStep {
  const delta = readDelta(event["delta"]);
  if (delta === "unknown") return unchanged(state);
  if (!hasOpenBlock(state)) return misplaced(event, state);
  if (delta === "malformed") return violate("malformed-event", "content_block_delta without its payload");
  const index = state.begun - 1;
  if (event["index"] !== index) return wrongIndex(event, index);
  const { start, deltas } = state.open;
  if (!accepts(start, delta)) return violate("wrong-delta", `${delta.type} in a block of type ${start.type}`);
  return {
    state: { ...state, open: { start, deltas: { item: delta, before: deltas } } },
    outputs: announce(delta, index),
  };
}

function announce(delta: WireDelta, index: number): readonly StreamOutput[] {
  switch (delta.type) {
    case "text_delta":
      return delta.text === "" ? [] : [{ kind: "text", index, text: delta.text }];
    case "thinking_delta":
      return delta.thinking === "" ? [] : [{ kind: "thinking", index, thinking: delta.thinking }];
    case "input_json_delta":
      return delta.partial_json === "" ? [] : [{ kind: "tool-input", index, json: delta.partial_json }];
    default:
      return [];
  }
}

function stopBlock(state: WithinBlock, event: Fields): StreamStep {
  const index = state.begun - 1;
  if (event["index"] !== index) return wrongIndex(event, index);
  const closed = closeBlock(state.open);
  return {
    state: { ...state, blocks: { item: closed.block, before: state.blocks }, open: undefined },
    outputs: [{ kind: "block", index, ...closed }],
  };
}

function changeMessage(
  state: Between | Extract<StreamState, { phase: "closing" }>,
  event: Fields,
): StreamStep {
  if (!isFields(event["delta"])) return violate("malformed-event", "message_delta without a delta");
  const message =
    state.phase === "closing" ? state.message : { ...state.message, content: inOrder(state.blocks) };
  const merged = mergeMessageDelta(message, event);
  return {
    state: { phase: "closing", message: merged },
    outputs: isFields(event["usage"]) ? [{ kind: "usage", usage: merged.usage }] : [],
  };
}

function unchanged(state: StreamState): StreamStep {
  return { state, outputs: [] };
}

function violate(code: StreamViolation["code"], detail: string): StreamStep {
  return { state: { phase: "failed" }, outputs: [{ kind: "violation", violation: { code, detail } }] };
}

function misplaced(event: Fields, state: StreamState): StreamStep {
  const place = hasOpenBlock(state) ? `within block ${state.begun - 1}` : places[state.phase];
  return violate("unexpected-event", `${String(event["type"])} ${place}`);
}

const places: Readonly<Record<StreamState["phase"], string>> = {
  waiting: "before message_start",
  content: "between blocks",
  closing: "after message_delta",
  finished: "after message_stop",
  failed: "after the end",
};

function wrongIndex(event: Fields, expected: number): StreamStep {
  return violate("wrong-index", `${String(event["type"])} for another block than ${expected}`);
}
