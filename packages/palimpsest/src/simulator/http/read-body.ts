import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { invalidRequest, refusals, type Refusal } from "./refusal.js";

export interface Body {
  readonly kind: "body";
  readonly text: string;
  /** Bytes after decompression. */
  readonly bytes: number;
}

const inflate = promisify(gunzip);
const notUtf8 = invalidRequest(
  "The request body is not valid JSON: str is not valid UTF-8: surrogates not allowed: line 1 column 1 (char 0)",
);

/**
 * Reads a request body of at most `limit` bytes, on the wire as well as decompressed. No more than that is
 * ever held, whatever the headers claim.
 */
export async function readBody(request: Request, limit: number): Promise<Body | Refusal> {
  const encoding = (request.headers.get("content-encoding") ?? "identity").trim().toLowerCase();
  if (encoding !== "identity" && encoding !== "gzip" && encoding !== "x-gzip") {
    return invalidRequest("content-encoding: only gzip is supported");
  }
  const received = await receive(request, limit);
  if ("kind" in received) return received;
  const bytes = encoding === "identity" ? received : await decompress(received, limit);
  if ("kind" in bytes) return bytes;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { kind: "body", text, bytes: bytes.byteLength };
  } catch {
    return notUtf8;
  }
}

async function receive(request: Request, limit: number): Promise<Uint8Array | Refusal> {
  const declared = request.headers.get("content-length");
  if (declared !== null && Number(declared) > limit) return refusals.tooLarge;
  try {
    if (declared !== null && /^\d+$/.test(declared)) {
      const whole = new Uint8Array(await request.arrayBuffer());
      return whole.byteLength > limit ? refusals.tooLarge : whole;
    }
    return await receiveChunks(request.body, limit);
  } catch {
    return invalidRequest("The request body could not be read");
  }
}

async function receiveChunks(
  body: ReadableStream<Uint8Array> | null,
  limit: number,
): Promise<Uint8Array | Refusal> {
  if (body === null) return new Uint8Array();
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(chunks, size);
    size += value.byteLength;
    if (size > limit) {
      reader.cancel().catch(() => {});
      return refusals.tooLarge;
    }
    chunks.push(value);
  }
}

async function decompress(bytes: Uint8Array, limit: number): Promise<Uint8Array | Refusal> {
  try {
    return await inflate(bytes, { maxOutputLength: limit });
  } catch (error) {
    const tooLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    return tooLarge ? refusals.tooLarge : invalidRequest("The request body could not be decompressed");
  }
}
