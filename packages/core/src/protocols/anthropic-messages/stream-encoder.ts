import type { ModelResponse } from "../../messages/call/response.js";
import type { AssistantBlock } from "../../messages/content.js";
import { asFields } from "../../messages/fields.js";
import type { WireDelta, WireEvent } from "./wire.js";

export interface EncodeStreamOptions {
  /** The length of a delta in UTF-16 units, at most; one more where a surrogate pair would be cut. */
  readonly chunkCharacters?: number;
  /** Sends a `ping` after `message_start`. */
  readonly pings?: boolean;
}

const DEFAULT_CHUNK_CHARACTERS = 400;

/** Usage that is known at the end only: null at the start where the response has it. */
const LATE_USAGE = ["iterations", "output_tokens_details", "server_tool_use", "fallback_credit"] as const;

/** Usage that `message_delta` repeats, as totals of the whole response. */
const CUMULATIVE_USAGE = [
  "input_tokens",
  "cache_creation_input_tokens",
  "cache_read_input_tokens",
  "output_tokens",
  ...LATE_USAGE,
] as const;

/** Fields of the message that travel in the `delta` of `message_delta`. */
const LATE_FIELDS = ["stop_details", "container"] as const;

/** The events by which the API streams a response; a decoder makes the same message of them. */
export function encodeStream(
  message: ModelResponse,
  options: EncodeStreamOptions = {},
): readonly WireEvent[] {
  const { chunkCharacters = DEFAULT_CHUNK_CHARACTERS, pings = false } = options;
  const chunk = (text: string): readonly string[] => cut(text, chunkCharacters);
  return [
    { type: "message_start", message: startOf(message) },
    ...(pings ? [{ type: "ping" } as const] : []),
    ...message.content.flatMap((block, index) => encodeBlock(block, { index, chunk })),
    messageDelta(message),
    { type: "message_stop" },
  ];
}

function startOf(message: ModelResponse): ModelResponse {
  return {
    ...message,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    ...nullWherePresent(message, [...LATE_FIELDS, "context_management"]),
    usage: {
      ...message.usage,
      ...nullWherePresent(message.usage, LATE_USAGE),
      output_tokens: Math.min(message.usage.output_tokens, 1),
    },
  };
}

function messageDelta(message: ModelResponse): WireEvent {
  return {
    type: "message_delta",
    delta: {
      stop_reason: message.stop_reason,
      stop_sequence: message.stop_sequence,
      ...pick(message, LATE_FIELDS),
    },
    usage: pick(message.usage, CUMULATIVE_USAGE),
    ...(message.context_management === undefined ? {} : { context_management: message.context_management }),
  };
}

interface BlockPlace {
  readonly index: number;
  readonly chunk: (text: string) => readonly string[];
}

function encodeBlock(block: AssistantBlock, { index, chunk }: BlockPlace): readonly WireEvent[] {
  const { start, deltas } = openBlock(block, chunk);
  return [
    { type: "content_block_start", index, content_block: start },
    ...deltas.map((delta): WireEvent => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

interface StreamedBlock {
  readonly start: AssistantBlock;
  readonly deltas: readonly WireDelta[];
}

function openBlock(block: AssistantBlock, chunk: BlockPlace["chunk"]): StreamedBlock {
  switch (block.type) {
    case "text": {
      const citations = block.citations ?? [];
      return {
        start: { ...block, text: "", ...(citations.length > 0 ? { citations: [] } : {}) },
        deltas: [
          ...chunk(block.text).map((text): WireDelta => ({ type: "text_delta", text })),
          ...citations.map((citation): WireDelta => ({ type: "citations_delta", citation })),
        ],
      };
    }
    case "thinking": {
      const { thinking, signature } = block;
      // Servers that speak the protocol may give no signature.
      const isSigned = typeof signature === "string";
      return {
        start: { ...block, thinking: "", ...(isSigned ? { signature: "" } : {}) },
        deltas: [
          ...chunk(thinking).map((part): WireDelta => ({ type: "thinking_delta", thinking: part })),
          ...(isSigned ? [{ type: "signature_delta", signature } as const] : []),
        ],
      };
    }
    case "tool_use": {
      const input = asFields(block.input);
      const parts = Object.keys(input).length === 0 ? [""] : chunk(JSON.stringify(input));
      return {
        start: { ...block, input: {} },
        deltas: parts.map((part): WireDelta => ({ type: "input_json_delta", partial_json: part })),
      };
    }
    case "compaction": {
      // A signed block is the answer to a compaction on demand: it comes whole.
      if (typeof block.signature === "string") return { start: block, deltas: [] };
      const encrypted = pick(block, ["encrypted_content"]);
      return {
        start: { ...block, content: null, ...nullWherePresent(block, ["encrypted_content"]) },
        deltas: [{ type: "compaction_delta", content: block.content ?? null, ...encrypted }],
      };
    }
    default:
      return { start: block, deltas: [] };
  }
}

function cut(text: string, size: number): readonly string[] {
  const step = size >= 1 ? Math.floor(size) : 1;
  const parts: string[] = [];
  for (let from = 0; from < text.length;) {
    const to = from + step;
    const end = cutsPair(text, to) ? to + 1 : to;
    parts.push(text.slice(from, end));
    from = end;
  }
  return parts;
}

function cutsPair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}

function pick<Source extends object, Key extends string>(
  source: Source,
  keys: readonly Key[],
): Pick<Source, Key & keyof Source> {
  const fields = source as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    keys.filter((key) => fields[key] !== undefined).map((key) => [key, fields[key]]),
  ) as Pick<Source, Key & keyof Source>;
}

function nullWherePresent(source: object, keys: readonly string[]): Readonly<Record<string, null>> {
  const fields = source as Readonly<Record<string, unknown>>;
  return Object.fromEntries(keys.filter((key) => fields[key] !== undefined).map((key) => [key, null]));
}
