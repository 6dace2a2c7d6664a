import type { ModelResponse } from "../../messages/call/response.js";
import type { ClosedBlock } from "../../messages/call/stream.js";
import { isFields, type Fields } from "../../messages/fields.js";
import { closeCall, madeCallId, textBlock, thinkingBlock } from "./blocks.js";
import { holdsError } from "./error-body.js";
import { finishFailure, readFinish, stopReason } from "./finish-reason.js";
import { isFault, readParts, type CallPart, type MessageParts } from "../../messages/import/chat-parts.js";
import { decodeChatUsage } from "./usage.js";

/** What to put where a server leaves it out. */
export interface DecodeChatOptions {
  /** The id of the response; where calls have none, their ids are made from it. */
  readonly responseId?: string;
  /** The model that was asked for. */
  readonly model?: string;
}

export type DecodedChatResponse =
  | {
      readonly kind: "message";
      readonly message: ModelResponse;
      /** The arguments of calls that are not the JSON objects they should be; their blocks have `{}`. */
      readonly malformedInputs: readonly { readonly index: number; readonly input: string }[];
    }
  /** An error where a message was expected: for `decodeChatError`. */
  | { readonly kind: "error-body"; readonly body: unknown }
  /** Neither: the first field that is not as it should be; an empty path means the body itself. */
  | { readonly kind: "malformed"; readonly path: string; readonly expected: string };

/**
 * What the body of a response that was not streamed is. Never throws. The first choice counts. Content comes as
 * thinking, text and calls, in this order.
 */
export function decodeChatResponse(body: unknown, options: DecodeChatOptions = {}): DecodedChatResponse {
  if (holdsError(body)) return { kind: "error-body", body };
  if (!isFields(body)) return malformed("", "an object");
  const { choices } = body;
  if (!Array.isArray(choices)) return malformed("choices", "a list");
  const choice: unknown = choices[0];
  if (!isFields(choice)) return malformed("choices.0", "an object");
  if (!isFields(choice["message"])) return malformed("choices.0.message", "an object");
  const finish = readFinish(choice["finish_reason"]);
  if (finishFailure(finish) !== undefined) return { kind: "error-body", body };
  const parts = readParts(choice["message"]);
  if (isFault(parts)) return malformed(`choices.0.message.${parts.path}`, parts.expected);
  const nameless = parts.calls.findIndex(({ name }) => name === undefined);
  if (nameless >= 0) return malformed(`choices.0.message.tool_calls.${nameless}.function.name`, "a string");
  const message = emptyResponse(body, options);
  const blocks = closedBlocks(parts, message.id);
  const content = blocks.map(({ block }) => block);
  const facts = { hasCalls: parts.calls.length > 0, isRefusal: parts.isRefusal };
  return {
    kind: "message",
    message: {
      ...message,
      content,
      stop_reason: stopReason(finish, facts),
      usage: decodeChatUsage(usageIn(body, choice)),
    },
    malformedInputs: blocks.flatMap(({ malformedInput }, index) =>
      malformedInput === undefined ? [] : [{ index, input: malformedInput }],
    ),
  };
}

/** A response of which only the head is known. */
export function emptyResponse(
  head: Fields,
  { responseId = "", model = "" }: DecodeChatOptions,
): ModelResponse {
  return {
    id: filled(head["id"]) ?? responseId,
    type: "message",
    role: "assistant",
    model: filled(head["model"]) ?? model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: decodeChatUsage(undefined),
  };
}

/** At the top; Moonshot has it in the choice of a chunk, Groq in a field of its own. */
export function usageIn(body: Fields, choice: unknown): unknown {
  const groq = body["x_groq"];
  const places = [
    body["usage"],
    isFields(choice) ? choice["usage"] : undefined,
    isFields(groq) ? groq["usage"] : undefined,
  ];
  return places.find(isFields);
}

function closedBlocks({ thinking, text, calls }: MessageParts, responseId: string): readonly ClosedBlock[] {
  const taken = new Set<string>();
  return [
    ...(thinking === "" ? [] : [{ block: thinkingBlock(thinking) }]),
    ...(text === "" ? [] : [{ block: textBlock(text) }]),
    ...calls.map((call, position) => {
      const id = uniqueId(call, taken) ?? madeCallId(responseId, position);
      taken.add(id);
      return closeCall({ id, name: call.name ?? "" }, call.json);
    }),
  ];
}

const uniqueId = ({ id }: CallPart, taken: ReadonlySet<string>): string | undefined =>
  id !== undefined && !taken.has(id) ? id : undefined;

const filled = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

function malformed(path: string, expected: string): DecodedChatResponse {
  return { kind: "malformed", path, expected };
}
