import { Agent as HttpAgent, request as requestHttp, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import type { Readable } from "node:stream";
import { pairsOf } from "./raw-headers.js";
import { createTunnel } from "./tunnel.js";

/** A call as it goes to the upstream. */
interface UpstreamCall {
  readonly method: string;
  /** With its query, byte for byte. */
  readonly path: string;
  /** Names and values in turn, as they are written. */
  readonly headers: string[];
  readonly body: Readable | undefined;
  /** Ends the call at once. */
  readonly signal: AbortSignal;
  /** The upstream asks for the body. */
  readonly onContinue?: () => void;
}

/** Answers a call with what the upstream says, its body not yet read. Rejects with `UpstreamError`. */
export interface Upstream {
  readonly address: URL;
  call(call: UpstreamCall): Promise<IncomingMessage>;
  /** Drops every connection. */
  close(): void;
}

export class UpstreamError extends Error {
  override readonly name = "UpstreamError";
  /** Whether there was a connection: then the upstream may have begun to work on the request. */
  readonly isReached: boolean;

  constructor(reason: string, isReached: boolean) {
    super(reason);
    this.isReached = isReached;
  }
}

const MAX_HEADER_BYTES = 256 * 1024;
/** So much of a body may be ahead of the socket before it is held up: fewer turns for a large one. */
const AHEAD_BYTES = 512 * 1024;

/**
 * Node's own client, because it writes headers as they are given: undici spells and places `Content-Length` itself, and
 * refuses `Expect`. There is no limit of time, no redirect and no decompression. `proxy` is the address of a proxy to go through.
 */
export function createUpstream(address: URL, proxy?: string): Upstream {
  const isSecure = address.protocol === "https:";
  const options = { keepAlive: true, scheduling: "lifo", highWaterMark: AHEAD_BYTES } as const;
  const agent = isSecure ? new HttpsAgent(options) : new HttpAgent(options);
  if (proxy !== undefined) Object.assign(agent, { createConnection: createTunnel(new URL(proxy), isSecure) });
  const { hostname, port } = address;
  return {
    address,
    close: () => agent.destroy(),
    call: ({ method, path, headers, body, signal, onContinue }) =>
      new Promise((resolve, reject) => {
        let isReached = false;
        const request = (isSecure ? requestHttps : requestHttp)({
          agent,
          hostname: hostname.replace(/^\[(.*)\]$/, "$1"),
          port: port === "" ? (isSecure ? 443 : 80) : Number(port),
          method,
          path,
          headers,
          setHost: false,
          maxHeaderSize: MAX_HEADER_BYTES,
        });
        let answer: IncomingMessage | undefined;
        const onAbort = (): void => {
          request.destroy(new Error("aborted"));
          // One that has come whole and is not read yet would wait for its reader without end.
          answer?.destroy();
        };
        if (signal.aborted) onAbort();
        signal.addEventListener("abort", onAbort, { once: true });
        request.once("socket", (socket) => {
          isReached = !socket.connecting;
          if (!isReached) socket.once(isSecure ? "secureConnect" : "connect", () => (isReached = true));
        });
        // What comes of a body that nobody asks for any more is taken and dropped: its client may want to send it to the end.
        request.once("close", () => {
          if (answer === undefined) signal.removeEventListener("abort", onAbort);
          body?.unpipe(request).resume();
        });
        request.once("continue", () => onContinue?.());
        request.once("response", (given) => {
          answer = given;
          given.once("close", () => signal.removeEventListener("abort", onAbort));
          resolve(given);
        });
        // After an answer it is the answer's body that fails.
        request.on("error", (error: NodeJS.ErrnoException) => {
          reject(new UpstreamError(error.code ?? error.message, isReached));
        });
        request.maxHeadersCount = 0;
        if (body === undefined) {
          request.end();
          return;
        }
        body.once("end", () => {
          const { rawTrailers = [] } = body as Partial<IncomingMessage>;
          if (rawTrailers.length > 0) request.addTrailers(pairsOf(rawTrailers));
        });
        body.pipe(request);
        // Who sends a head and waits with the body may be answered by then. As for the encoding, see where answers are passed.
        let hasBegun = false;
        body.once("data", () => (hasBegun = true));
        setImmediate(() => {
          if (!hasBegun && !request.destroyed && !request.writableEnded) request.write("", "latin1");
        });
      }),
  };
}
