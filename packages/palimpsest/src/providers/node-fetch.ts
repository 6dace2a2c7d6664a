import { Agent as HttpAgent, request as requestHttp, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { PiecedBody, type PieceFetch, type RequestPieces } from "./request-pieces.js";

/** Chunks that wait to be read before the connection is held up. */
const CHUNKS_AHEAD = 16;

/** Responses that have no body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * A `fetch` on Node's own HTTP client: a request of some hundred kilobytes costs a third of what the global one
 * takes. It sends texts and bytes, goes through no proxy, follows no redirect, and asks for no compression.
 * Connections are used again.
 */
export function createNodeFetch(): PieceFetch {
  const plain = new HttpAgent({ keepAlive: true });
  const secure = new HttpsAgent({ keepAlive: true });
  const send: typeof fetch = async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const pieces = piecesOf(init.body);
    const headers = init.headers instanceof Headers ? init.headers : new Headers(init.headers);
    const isSecure = url.protocol === "https:";
    const options = {
      method: init.method ?? "GET",
      headers: { ...Object.fromEntries(headers), "content-length": lengthOf(pieces) },
      agent: isSecure ? secure : plain,
      ...(init.signal == null ? {} : { signal: init.signal }),
    };
    const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
      const outgoing = (isSecure ? requestHttps : requestHttp)(url, options, resolve);
      outgoing.once("error", reject);
      // In one go with the headers.
      outgoing.cork();
      for (const piece of pieces) outgoing.write(piece);
      outgoing.end();
    });
    return responseOf(incoming);
  };
  return Object.assign(send, { sendsPieces: true as const });
}

const lengthOf = (pieces: RequestPieces): number => pieces.reduce((sum, { length }) => sum + length, 0);

function piecesOf(body: RequestInit["body"]): RequestPieces {
  if (body == null) return [];
  if (body instanceof PiecedBody) return body.pieces;
  if (typeof body === "string") return [Buffer.from(body)];
  if (body instanceof Uint8Array) return [body];
  throw new TypeError("only texts and bytes can be sent");
}

function responseOf(incoming: IncomingMessage): Response {
  const { statusCode: status = 502, statusMessage: statusText = "", rawHeaders } = incoming;
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
  }
  if (!BODILESS.has(status)) return new Response(bodyOf(incoming), { status, statusText, headers });
  incoming.resume();
  return new Response(null, { status, statusText, headers });
}

/** Whoever cancels it closes the connection. */
function bodyOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const onData = (chunk: Uint8Array): void => {
          controller.enqueue(chunk);
          if ((controller.desiredSize ?? 0) <= 0) incoming.pause();
        };
        const onEnd = (): void => controller.close();
        incoming.on("data", onData);
        incoming.once("end", onEnd);
        incoming.once("error", (error) => {
          incoming.off("data", onData);
          incoming.off("end", onEnd);
          controller.error(error);
        });
      },
      pull: () => void incoming.resume(),
      cancel(): void {
        incoming.removeAllListeners("data");
        incoming.removeAllListeners("end");
        incoming.destroy();
      },
    },
    { highWaterMark: CHUNKS_AHEAD },
  );
}
