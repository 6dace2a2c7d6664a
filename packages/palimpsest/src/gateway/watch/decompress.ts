import { brotliDecompressSync, constants, gunzipSync, inflateSync } from "node:zlib";

/** What a body may become: far more than any answer is, far less than memory. */
const MOST = 256 * 1024 * 1024;

/** The text of a body. What was cut off is read as far as it came. Throws where it cannot be read. */
export function textOf(body: Uint8Array, encoding: string): string {
  return new TextDecoder().decode(decompressed(body, encoding.trim().toLowerCase()));
}

function decompressed(body: Uint8Array, encoding: string): Uint8Array {
  if (body.length === 0) return body;
  const limit = { maxOutputLength: MOST };
  switch (encoding) {
    case "":
    case "identity":
      return body;
    case "gzip":
    case "x-gzip":
      return gunzipSync(body, { ...limit, finishFlush: constants.Z_SYNC_FLUSH });
    case "deflate":
      return inflateSync(body, { ...limit, finishFlush: constants.Z_SYNC_FLUSH });
    case "br":
      return brotliDecompressSync(body, { ...limit, finishFlush: constants.BROTLI_OPERATION_FLUSH });
    default:
      throw new Error(`the encoding ${encoding} is not read`);
  }
}
