import type { ModelResponse, StreamOutput } from "@palimpsest/core";
import { isTooDeep } from "@palimpsest/core/engine";
import {
  decodeError,
  decodeResponse,
  decodeSseEvent,
  encodeStream,
  endStream,
  startSse,
  startStream,
  stepSse,
  stepStream,
} from "@palimpsest/core/protocols";
import { chunksOf, DEFAULT_MAX_RESPONSE_BYTES, textOf } from "./limit-response.js";

export interface ReadMessagesOptions {
  /** Told of everything that arrives. */
  readonly alive: () => void;
  /** Default 64 MiB. */
  readonly maxBytes?: number;
}

/**
 * Reads what the Messages API, or something before it, answered: a stream, a whole message, or an error. A whole
 * message gives the outputs that it would have given as a stream. Throws what reading the body throws.
 */
export async function* readMessagesResponse(
  response: Response,
  options: ReadMessagesOptions,
): AsyncGenerator<StreamOutput> {
  const { alive, maxBytes = DEFAULT_MAX_RESPONSE_BYTES } = options;
  alive();
  const { status, headers } = response;
  if (!response.ok) {
    yield errorOutput(response, await textOf(response, maxBytes));
  } else if (mediaType(headers) === "text/event-stream") {
    yield* readStream(response, { alive, maxBytes });
  } else {
    const decoded = decodeResponse(parsed(await textOf(response, maxBytes)));
    if (decoded.kind === "message") yield* outputsOf(decoded.message);
    else if (decoded.kind === "error-body") yield errorOutput(response, decoded.body);
    else {
      const detail = `status ${status} with neither a stream nor a message`;
      yield { kind: "violation", violation: { code: "malformed-event", detail } };
    }
  }
}

/** With the time, so that a date in `retry-after` can be read. */
function errorOutput({ status, headers }: Response, body: unknown): StreamOutput {
  return { kind: "error", failure: decodeError({ status, headers, body, now: Date.now() }) };
}

async function* readStream(
  response: Response,
  { alive, maxBytes }: Required<ReadMessagesOptions>,
): AsyncGenerator<StreamOutput> {
  const decoder = new TextDecoder();
  let sse = startSse();
  let stream = startStream();
  for await (const bytes of chunksOf(response, maxBytes)) {
    alive();
    const read = stepSse(sse, decoder.decode(bytes, { stream: true }));
    sse = read.state;
    for (const event of read.events) {
      const step = stepStream(stream, decodeSseEvent(event));
      stream = step.state;
      yield* step.outputs;
    }
  }
  yield* endStream(stream);
}

function* outputsOf(message: ModelResponse): Generator<StreamOutput> {
  let state = startStream();
  for (const event of encodeStream(message, { chunkCharacters: Infinity })) {
    const step = stepStream(state, event);
    state = step.state;
    yield* step.outputs;
  }
}

const mediaType = (headers: Headers): string | undefined =>
  headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isTooDeep(value) ? undefined : value;
  } catch {
    return undefined;
  }
}
