import { getRequestListener } from "@hono/node-server";
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { listenError } from "../../simulator/http/listen-error.js";
import { createInspectorApp, type InspectorApp } from "../api/app.js";
import { createEventLog } from "../api/event-log.js";
import { failure } from "../api/failure.js";
import { inspectorPage } from "../api/inspector-page.js";
import type { FoundConversation } from "./find-conversations.js";
import { createLibrary, type Library } from "./library.js";

export interface InspectorOptions {
  /** The conversations that are shown; asked again and again. */
  readonly find: () => Promise<readonly FoundConversation[]>;
  /** Where this program keeps what it makes: indexes are kept below it. */
  readonly dataDirectory: string;
  /** 0 for any free one. */
  readonly port?: number | undefined;
  /** Under which a forwarded port is reached. */
  readonly publicUrl?: string | undefined;
  readonly onError?: ((error: unknown) => void) | undefined;
}

export interface Inspector {
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
export async function startInspector(options: InspectorOptions): Promise<Inspector> {
  const { find, dataDirectory, port = 0, publicUrl, onError = () => undefined } = options;
  const token = randomBytes(24).toString("base64url");
  const events = createEventLog();
  const library = createLibrary({
    find,
    events,
    indexFolder: join(dataDirectory, "inspector"),
    now: Date.now,
  });
  const app = createInspectorApp({
    conversations: library,
    events,
    token,
    publicUrl,
    page: inspectorPage,
    onError,
  });
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
      await library.close();
    },
  };
}
