import { getRequestListener } from "@hono/node-server";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { listenError } from "../../simulator/http/listen-error.js";
import type { InspectorApp } from "../api/app.js";
import { failure } from "../api/failure.js";
import { createInspector, type InspectorOptions } from "./create-inspector.js";
import type { Library } from "./library.js";

export interface ServedInspectorOptions extends InspectorOptions {
  /** 0 for any free one. */
  readonly port?: number | undefined;
}

export interface ServedInspector {
  /** With the token in its fragment. */
  readonly url: string;
  readonly app: InspectorApp;
  readonly library: Library;
  close(): Promise<void>;
}

const HOST = "127.0.0.1";
/** How often it is looked for what has changed. */
const LOOK_MS = 1000;

/** Serves the inspector on loopback. Throws `ListenError`. */
export async function startInspector(options: ServedInspectorOptions): Promise<ServedInspector> {
  const { port = 0, publicUrl, onError = () => undefined } = options;
  const inspector = createInspector(options);
  const { app, library, token } = inspector;
  const listener = getRequestListener(app, {
    hostname: HOST,
    overrideGlobalObjects: false,
    errorHandler: () => failure(400, "bad_request", "The request has no Host that could be one."),
  });
  const server = createServer((incoming, outgoing) => void listener(incoming, outgoing));
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(listenError(error, { host: HOST, port })));
    server.listen(port, HOST, resolve);
  });
  const own = `http://${HOST}:${(server.address() as AddressInfo).port}`;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const look = async (): Promise<void> => {
    await library.refresh().catch(onError);
    if (!isClosed) timer = setTimeout(() => void look(), LOOK_MS);
  };
  void look();
  return {
    url: `${publicUrl?.replace(/\/$/, "") ?? own}/#token=${token}`,
    app,
    library,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await inspector.close();
    },
  };
}
