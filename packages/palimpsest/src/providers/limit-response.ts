import type { PlainFailure } from "@palimpsest/core";

/** More than any model can say in one answer, one small event a token. */
export const DEFAULT_MAX_RESPONSE_BYTES = 64 * 1024 * 1024;
/** What is read of an error: nobody reads more of it. */
const MAX_ERROR_BYTES = 256 * 1024;

/** A limit of ours was reached while an answer was read; `failure` says which. */
export class ResponseLimit extends Error {
  readonly failure: PlainFailure;

  constructor(failure: PlainFailure) {
    super(failure.message);
    this.name = "ResponseLimit";
    this.failure = failure;
  }
}

/** The chunks of a body. Throws a `ResponseLimit` where there are more bytes; the connection is closed then. */
export async function* chunksOf({ body }: Response, maxBytes: number): AsyncGenerator<Uint8Array> {
  let left = maxBytes;
  for await (const bytes of body ?? []) {
    left -= bytes.byteLength;
    if (left < 0) throw new ResponseLimit(tooLong(maxBytes));
    yield bytes;
  }
}

/** The whole body as text; throws as `chunksOf` does. */
export async function textOf(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of chunksOf(response, maxBytes)) chunks.push(chunk);
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/**
 * A `fetch` of whose errors only the beginning is read, by whomever, and that follows no redirect: a key is for the
 * address that was given. How much is read of an answer is up to its reader.
 */
export const carefulFetch =
  (send: typeof fetch): typeof fetch =>
  async (input, init) => {
    const response = await send(input, { ...init, redirect: "manual" });
    const { ok, body, status, statusText, headers } = response;
    return ok || body === null
      ? response
      : new Response(body.pipeThrough(endAfter(MAX_ERROR_BYTES)), { status, statusText, headers });
  };

function endAfter(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let left = maxBytes;
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(chunk.byteLength > left ? chunk.subarray(0, left) : chunk);
      left -= chunk.byteLength;
      if (left <= 0) controller.terminate();
    },
  });
}

const tooLong = (maxBytes: number): PlainFailure => ({
  kind: "api",
  message: `the server sent more than ${describeBytes(maxBytes)} for one answer, and was not read any further`,
  retryable: false,
});

const describeBytes = (bytes: number): string =>
  bytes >= 1024 * 1024 ? `${Math.round(bytes / 1024 / 1024)} MiB` : `${bytes} bytes`;
