import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { listenError } from "../../simulator/http/listen-error.js";
import type { Gateway } from "./gateway.js";
import { hasBody, pairsOf } from "./raw-headers.js";

export interface GatewayServerOptions {
  readonly gateway: Gateway;
  /** 0 for any free one. */
  readonly port?: number;
  readonly host?: string;
}

export interface GatewayServer {
  readonly port: number;
  /** Stops listening and drops every connection. */
  close(): Promise<void>;
}

const MAX_HEADER_BYTES = 256 * 1024;

/** Puts a gateway on a socket. Throws `ListenError`. */
export async function startGatewayServer({
  gateway,
  port = 0,
  host = "127.0.0.1",
}: GatewayServerOptions): Promise<GatewayServer> {
  // A client's connection stays as long as the client wants, and a body may take its time.
  const limits = { keepAliveTimeout: 0, requestTimeout: 0, maxHeaderSize: MAX_HEADER_BYTES, keepAlive: true };
  const server = createServer(limits, (incoming, outgoing) => void serve(gateway, incoming, outgoing));
  server.on("checkContinue", (incoming: IncomingMessage, outgoing: ServerResponse) => {
    void serve(gateway, incoming, outgoing, () => outgoing.writeContinue());
  });
  // What a client expects is for the upstream to say.
  server.on("checkExpectation", (incoming: IncomingMessage, outgoing: ServerResponse) => {
    void serve(gateway, incoming, outgoing);
  });
  server.maxHeadersCount = 0;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(listenError(error, { host, port })));
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function serve(
  gateway: Gateway,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  onContinue?: () => void,
): Promise<void> {
  const gone = new AbortController();
  outgoing.once("close", () => {
    if (!outgoing.writableFinished) gone.abort();
  });
  outgoing.on("error", () => {});
  const { method = "GET", url = "", rawHeaders, httpVersionMinor } = incoming;
  try {
    const answer = await gateway({
      method,
      target: url,
      headers: rawHeaders,
      body: hasBody(rawHeaders) ? incoming : undefined,
      signal: gone.signal,
      knowsChunks: httpVersionMinor > 0,
      ...(onContinue === undefined ? {} : { onContinue }),
    });
    if (answer.kind === "reset" || outgoing.destroyed) {
      outgoing.destroy();
      return;
    }
    const { status, reason, headers, body } = answer;
    outgoing.sendDate = false;
    outgoing.writeHead(status, reason, headers);
    if (Buffer.isBuffer(body)) outgoing.end(body);
    else pass(body, outgoing);
  } catch {
    outgoing.destroy();
  }
}

/** Passes a body down as it comes, at the pace of whoever reads it. */
function pass(body: IncomingMessage, outgoing: ServerResponse): void {
  // The first bytes may be a minute away. `flushHeaders` would write the bytes of the headers as UTF-8.
  outgoing.write("", "latin1");
  body.once("error", () => {
    // What came before the end and waits for the client: a stream that has failed tells nobody of it by itself.
    for (let rest: unknown = body.read(); rest !== null; rest = body.read()) body.emit("data", rest);
    cutOff(outgoing);
  });
  body.once("end", () => {
    if (body.rawTrailers.length > 0) outgoing.addTrailers(pairsOf(body.rawTrailers));
  });
  body.pipe(outgoing);
}

/** What came before is still delivered; then the connection ends in the middle of the answer, as the upstream's did. */
function cutOff(outgoing: ServerResponse): void {
  if (outgoing.socket === null) outgoing.destroy();
  else outgoing.socket.destroySoon();
}
