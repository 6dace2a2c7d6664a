import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { encodeError } from "@palimpsest/core/protocols";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { SimulatorApp } from "./app.js";
import { ListenError, listenError } from "./listen-error.js";
import { isLocalRequest, isLoopbackName } from "./local-host.js";

export interface SimulatorServerOptions {
  readonly app: SimulatorApp;
  /** 0 for any free one. */
  readonly port?: number;
  readonly host?: string;
  /** Whether a request may name any host. Default: only where the server listens for others than this machine. */
  readonly anyHost?: boolean;
}

export interface SimulatorServer {
  readonly url: string;
  readonly port: number;
  /** Stops listening and drops every connection. */
  close(): Promise<void>;
}

/** Puts the app on a socket. Throws `ListenError`. */
export async function startSimulatorServer(options: SimulatorServerOptions): Promise<SimulatorServer> {
  const { app, port: wanted = 0, host = "127.0.0.1" } = options;
  if (typeof app !== "function") {
    throw new ListenError("bad_option", "startSimulatorServer: `app` must be made by createSimulatorApp()");
  }
  if (!Number.isInteger(wanted) || wanted < 0 || wanted > 65_535) {
    throw new ListenError(
      "bad_option",
      "startSimulatorServer: `port` must be a whole number from 0 to 65535",
    );
  }
  const { anyHost = !isLoopbackName(host.toLowerCase()) } = options;
  const listener = getRequestListener(
    async (request, bindings) => {
      const { outgoing } = bindings as HttpBindings;
      // Only now is it found out that no address can have such a host.
      const refused = URL.canParse(request.url)
        ? anyHost || isLocalRequest(request)
          ? undefined
          : strangeHost()
        : badRequest();
      await send(refused ?? (await app(request)), outgoing);
      return RESPONSE_ALREADY_SENT;
    },
    // The globals stay those of Node: other code of this process uses them too.
    { hostname: host, overrideGlobalObjects: false, errorHandler: badRequest },
  );
  const server = createServer({ keepAliveTimeout: 60_000 }, (incoming, outgoing) => {
    void listener(incoming, outgoing);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(listenError(error, { host, port: wanted })),
    );
    server.listen(wanted, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    port,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A request that is none, such as one with an impossible `Host`. */
const badRequest = (): Response =>
  Response.json(
    encodeError({
      type: "invalid_request_error",
      message: "the request has no Host that could be one, such as localhost",
      requestId: "req_sim_unknown",
    }),
    { status: 400 },
  );

/** One under a name of somebody else's, which a web page could have been led here by. */
const strangeHost = (): Response =>
  Response.json(
    encodeError({
      type: "permission_error",
      message:
        "the simulator answers under a name of this machine only, like localhost; --host or --remote-control lets others in",
      requestId: "req_sim_unknown",
    }),
    { status: 403 },
  );

/**
 * Writes a response to its socket. Node's adapter would end a body that fails like one that is complete, and
 * print it; here the socket is destroyed once what came before is on its way.
 */
async function send(response: Response, outgoing: ServerResponse): Promise<void> {
  if (response.type === "error") {
    outgoing.destroy();
    return;
  }
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) {
    outgoing.end();
    return;
  }
  const reader = response.body.getReader();
  const onClose = (): void => void reader.cancel().catch(() => {});
  outgoing.once("close", onClose);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (!outgoing.write(value)) await drained(outgoing);
    }
    outgoing.end();
  } catch {
    await flushed(outgoing);
    outgoing.destroy();
  } finally {
    outgoing.off("close", onClose);
  }
}

/** Until more can be written, or nothing ever will. */
function drained(outgoing: ServerResponse): Promise<void> {
  if (outgoing.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const finish = (): void => {
      outgoing.off("drain", finish);
      outgoing.off("close", finish);
      resolve();
    };
    outgoing.once("drain", finish);
    outgoing.once("close", finish);
  });
}

function flushed(outgoing: ServerResponse): Promise<void> {
  if (outgoing.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    outgoing.once("close", resolve);
    outgoing.write("", () => resolve());
  });
}
