import type { StreamOutput } from "@palimpsest/core";
import { isTooDeep } from "@palimpsest/core/engine";
import {
  decodeChatError,
  decodeChatEvent,
  decodeChatResponse,
  endChatStream,
  startChatStream,
  startSse,
  stepChatStream,
  stepSse,
  type DecodeChatOptions,
} from "@palimpsest/core/protocols";
import { chunksOf, DEFAULT_MAX_RESPONSE_BYTES, textOf } from "./limit-response.js";

export interface ReadChatOptions extends DecodeChatOptions {
  /** Told of everything that arrives. */
  readonly alive: () => void;
  /** Default 64 MiB. */
  readonly maxBytes?: number;
}

/**
 * Reads what a chat server, or something before it, answered: a stream, a whole response, or an error. A whole
 * response gives the outputs that it would have given as a stream. Throws what reading the body throws.
 */
export async function* readChatResponse(
  response: Response,
  options: ReadChatOptions,
): AsyncGenerator<StreamOutput> {
  options.alive();
  if (!response.ok) {
    yield errorOutput(response, await textOf(response, mostBytes(options)));
    return;
  }
  const type = mediaType(response.headers);
  if (type === "application/json") yield* readWhole(response, options);
  else if (type === "text/html") yield violation("status 200 with a page in place of an answer");
  // Not every server names the type of a stream.
  else yield* readStream(response, options);
}

/** With the time, so that a date in `retry-after` can be read. */
function errorOutput({ status, headers }: Response, body: unknown): StreamOutput {
  return { kind: "error", failure: decodeChatError({ status, headers, body, now: Date.now() }) };
}

async function* readWhole(response: Response, options: ReadChatOptions): AsyncGenerator<StreamOutput> {
  const body = parsed(await textOf(response, mostBytes(options)));
  const decoded = decodeChatResponse(body, options);
  if (decoded.kind === "error-body") {
    yield errorOutput(response, body);
  } else if (decoded.kind === "malformed") {
    yield violation(`${decoded.path || "the response"} must be ${decoded.expected}`);
  } else {
    const step = stepChatStream(startChatStream(options), body);
    yield* step.outputs;
    yield* endChatStream(step.state);
  }
}

async function* readStream(response: Response, options: ReadChatOptions): AsyncGenerator<StreamOutput> {
  const decoder = new TextDecoder();
  let sse = startSse();
  let stream = startChatStream(options);
  for await (const bytes of chunksOf(response, mostBytes(options))) {
    options.alive();
    const read = stepSse(sse, decoder.decode(bytes, { stream: true }));
    sse = read.state;
    for (const event of read.events) {
      const step = stepChatStream(stream, decodeChatEvent(event));
      stream = step.state;
      yield* step.outputs;
    }
  }
  yield* endChatStream(stream);
}

const mostBytes = ({ maxBytes = DEFAULT_MAX_RESPONSE_BYTES }: ReadChatOptions): number => maxBytes;

const violation = (detail: string): StreamOutput => ({
  kind: "violation",
  violation: { code: "malformed-event", detail },
});

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
