import type { StreamOutput, StreamViolation } from "../../messages/call/stream.js";
import { isFields, isTooDeep, type Fields } from "../../messages/fields.js";
import type { SseEvent } from "../sse.js";
import { holdsError } from "./error-body.js";
import { decodeChatError } from "./errors.js";
import { finishFailure, readFinish } from "./finish-reason.js";
import { isFault, readParts, type MessageParts } from "../../messages/import/chat-parts.js";
import { emptyResponse, usageIn, type DecodeChatOptions } from "./response.js";
import { decodeChatUsage } from "./usage.js";
import { addParts, completeContent, openContent, type StreamContent } from "./stream-content.js";

/** What ends a stream, as the value of its last event. */
export const CHAT_DONE = "[DONE]";

/**
 * The value for `stepChatStream`: the parsed data, or `CHAT_DONE`. Data that is no JSON gives undefined; empty
 * data, with which some servers keep the connection, an empty object. Never throws.
 */
export function decodeChatEvent({ event, data }: SseEvent): unknown {
  const text = data.trim();
  if (text === CHAT_DONE) return CHAT_DONE;
  if (text === "") return {};
  const value = parsed(text);
  if (event !== "error" || holdsError(value)) return value;
  return { error: isFields(value) ? value : { message: text } };
}

/** Where a reader of a streamed response stands. Never changed in place. */
export type ChatStreamState =
  | WaitingState
  | { readonly phase: "content"; readonly content: StreamContent }
  | { readonly phase: "finished" }
  /** After an error or a violation: whatever follows is ignored. */
  | { readonly phase: "failed" };

interface WaitingState {
  readonly phase: "waiting";
  readonly options: DecodeChatOptions;
  /** Id and model, which may stand in chunks before the first choice. */
  readonly head: Fields;
}

export interface ChatStreamStep {
  readonly state: ChatStreamState;
  readonly outputs: readonly StreamOutput[];
}

/** The state before the first event of a response. */
export function startChatStream(options: DecodeChatOptions = {}): ChatStreamState {
  return { phase: "waiting", options, head: {} };
}

/**
 * Reads the next chunk, or `CHAT_DONE`. A chunk without a choice may hold usage; of what else it holds nothing is
 * known. A whole response in place of a stream is read as one chunk. The message is complete only with `CHAT_DONE`
 * or the end of the stream: usage may follow the reason for its end. Never throws.
 */
export function stepChatStream(state: ChatStreamState, chunk: unknown): ChatStreamStep {
  if (state.phase === "failed" || state.phase === "finished") return { state, outputs: [] };
  if (chunk === CHAT_DONE) return state.phase === "content" ? finish(state.content) : truncated();
  if (holdsError(chunk)) return fail({ kind: "error", failure: decodeChatError({ body: chunk }) });
  if (!isFields(chunk)) return violate("malformed-event", "a chunk that is not an object");
  const { choices } = chunk;
  if (choices !== undefined && choices !== null && !Array.isArray(choices)) {
    return violate("malformed-event", "choices that are no list");
  }
  const list: readonly unknown[] = choices ?? [];
  if (!list.every(isFields)) return violate("malformed-event", "a choice that is not an object");
  const choice = list.find(({ index }) => index === undefined || index === null || index === 0);
  if (choice !== undefined) return readChoice(state, { chunk, choice });
  if (state.phase === "waiting")
    return { state: { ...state, head: mergedHead(state.head, chunk) }, outputs: [] };
  const usage = usageIn(chunk, undefined);
  return {
    state: { ...state, content: withUsage(state.content, usage) },
    // Only what follows the reason for the end is of the whole response: some servers count along.
    outputs:
      usage === undefined || state.content.finish === undefined
        ? []
        : [{ kind: "usage", usage: decodeChatUsage(usage) }],
  };
}

/** What is to be said when nothing more comes: the message, where the reason for its end was given. */
export function endChatStream(state: ChatStreamState): readonly StreamOutput[] {
  if (state.phase === "finished" || state.phase === "failed") return [];
  const isWhole = state.phase === "content" && state.content.finish !== undefined;
  return (isWhole ? finish(state.content) : truncated()).outputs;
}

interface ChosenChunk {
  readonly chunk: Fields;
  readonly choice: Fields;
}

function readChoice(
  state: WaitingState | Extract<ChatStreamState, { phase: "content" }>,
  { chunk, choice }: ChosenChunk,
): ChatStreamStep {
  const starts = state.phase === "waiting";
  const before = starts
    ? openContent(emptyResponse(mergedHead(state.head, chunk), state.options))
    : state.content;
  const start: readonly StreamOutput[] = starts ? [{ kind: "start", message: before.message }] : [];
  const delta = choice["delta"] ?? choice["message"] ?? {};
  if (!isFields(delta)) return violate("malformed-event", "a delta that is not an object");
  const read = readParts(delta);
  if (isFault(read)) return violate("malformed-event", `${read.path} must be ${read.expected}`);
  const parts = choice["delta"] === delta ? read : numbered(read);
  const step = addParts(withUsage(before, usageIn(chunk, choice)), parts);
  if (step.fault !== undefined) return violate("wrong-delta", step.fault);
  const reason = readFinish(choice["finish_reason"]) ?? step.content.finish;
  const failure = finishFailure(reason);
  const outputs = [...start, ...step.outputs];
  if (failure !== undefined) {
    return { state: { phase: "failed" }, outputs: [...outputs, { kind: "error", failure }] };
  }
  return { state: { phase: "content", content: { ...step.content, finish: reason } }, outputs };
}

/** In a whole message every call is one of its own, whatever its number. */
function numbered(parts: MessageParts): MessageParts {
  return { ...parts, calls: parts.calls.map((call, index) => ({ ...call, index })) };
}

function finish(content: StreamContent): ChatStreamStep {
  return { state: { phase: "finished" }, outputs: completeContent(content) };
}

/** The first value that is filled: Azure begins with a chunk whose id and model are empty. */
function mergedHead(head: Fields, chunk: Fields): Fields {
  return { id: head["id"] || chunk["id"], model: head["model"] || chunk["model"] };
}

function withUsage(content: StreamContent, usage: unknown): StreamContent {
  return usage === undefined ? content : { ...content, usage };
}

function truncated(): ChatStreamStep {
  return violate("truncated", "the stream ended before the message did");
}

function violate(code: StreamViolation["code"], detail: string): ChatStreamStep {
  return fail({ kind: "violation", violation: { code, detail } });
}

function fail(output: StreamOutput): ChatStreamStep {
  return { state: { phase: "failed" }, outputs: [output] };
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isTooDeep(value) ? undefined : value;
  } catch {
    return undefined;
  }
}
