import { setTimeout as sleep } from "node:timers/promises";
import type * as Sdk from "@modelcontextprotocol/client";
import type { Client, StandardSchemaV1, Transport } from "@modelcontextprotocol/client";
import { loadOptional } from "../../providers/optional-package.js";
import { isFields } from "../base/fields.js";
import { readFailure } from "./connection-failure.js";
import { createBoundedFetch } from "./http-transport.js";
import { MOST_TOOLS } from "./listed-tool.js";
import type { McpServerConfig } from "./server-config.js";
import { createStdioTransport, type ProcessWatch } from "./stdio-transport.js";

interface CallOptions {
  readonly signal: AbortSignal;
  /** Without a sign of life: progress starts it anew. */
  readonly timeoutMs: number;
  /** However much progress is reported. */
  readonly totalMs: number;
}

/** An open connection to a server. What it answers is not judged here. */
export interface Connection {
  readonly instructions: string;
  /** Every page. Rejects like `call`. */
  readonly listTools: () => Promise<readonly unknown[]>;
  /** Rejects with what `readFailure` reads. */
  readonly call: (tool: string, input: object, options: CallOptions) => Promise<unknown>;
  /** Resolves, with the rest of a sentence about the server, when the connection is gone. */
  readonly gone: Promise<string>;
  /** Resolves when nothing is left of it. */
  readonly close: () => Promise<void>;
}

export interface ConnectionOptions {
  readonly clientVersion: string;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly connectTimeoutMs: number;
  readonly killGraceMs: number;
  readonly longestMessage: number;
  readonly watch: ProcessWatch;
  /** The server says that its tools are others now. */
  readonly onToolsChanged: () => void;
  readonly signal: AbortSignal;
}

const MOST_PAGES = 32;
const PING_MS = 5_000;
const GOODBYE_MS = 1_000;

/** Anything: servers send tools and results that the protocol does not know, and one must not spoil the others. */
const anything: StandardSchemaV1<unknown, unknown> = {
  "~standard": { version: 1, vendor: "palimpsest", validate: (value) => ({ value }) },
};

/** Starts or reaches the server and shakes hands. Rejects when that fails, and leaves nothing behind then. */
export async function openConnection(
  config: McpServerConfig,
  options: ConnectionOptions,
): Promise<Connection> {
  const sdk = await loadOptional(() => import("@modelcontextprotocol/client"), {
    name: "@modelcontextprotocol/client",
    need: "MCP servers need",
  });
  const client = new sdk.Client({ name: "palimpsest", version: options.clientVersion });
  const { transport, ending, sayGoodbye } = createTransport(config, options, sdk);
  let leave = (_why: string): void => {};
  const gone = new Promise<string>((resolve) => (leave = resolve));
  const close = async (): Promise<void> => {
    await sayGoodbye();
    await transport.close();
    leave(ending());
  };
  Object.assign(client, { onclose: () => leave(ending()) });
  client.setNotificationHandler("notifications/tools/list_changed", options.onToolsChanged);
  try {
    await client.connect(transport, { timeout: options.connectTimeoutMs, signal: options.signal });
  } catch (error) {
    await transport.close();
    // A process that went away says more about why than the broken pipe does.
    throw ending() === "" || readFailure(error).kind !== "broken"
      ? error
      : Object.assign(new Error(ending()), { cause: error });
  }
  Object.assign(client, { onerror: checkLater(client, close) });
  return {
    instructions: client.getInstructions() ?? "",
    listTools: () => listAll(client, options),
    call: (name, input, { signal, timeoutMs, totalMs }) =>
      client.request({ method: "tools/call", params: { name, arguments: input } }, anything, {
        signal,
        timeout: timeoutMs,
        maxTotalTimeout: totalMs,
        resetTimeoutOnProgress: true,
        // Asks the server for progress.
        onprogress: () => {},
      }),
    gone,
    close,
  };
}

interface ReadyTransport {
  readonly transport: Transport;
  readonly ending: () => string;
  readonly sayGoodbye: () => Promise<void>;
}

function createTransport(
  { transport: wanted }: McpServerConfig,
  options: ConnectionOptions,
  sdk: typeof Sdk,
): ReadyTransport {
  if (wanted.kind === "stdio") {
    const transport = createStdioTransport(wanted, { ...options, parse: sdk.deserializeMessage });
    return { transport, ending: transport.ending, sayGoodbye: async () => {} };
  }
  const reach = {
    requestInit: { headers: { ...wanted.headers } },
    fetch: createBoundedFetch(options.longestMessage),
  };
  if (wanted.kind === "sse") {
    const transport = new sdk.SSEClientTransport(new URL(wanted.url), reach);
    return { transport, ending: () => "", sayGoodbye: async () => {} };
  }
  const transport = new sdk.StreamableHTTPClientTransport(new URL(wanted.url), reach);
  return {
    transport,
    ending: () => "",
    async sayGoodbye() {
      const said = transport.terminateSession().catch(() => {});
      await Promise.race([said, sleep(GOODBYE_MS, undefined, { ref: false })]);
    },
  };
}

async function listAll(
  client: Client,
  { connectTimeoutMs: timeout, signal }: ConnectionOptions,
): Promise<readonly unknown[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const tools: unknown[] = [];
  let cursor: unknown;
  for (let page = 0; page < MOST_PAGES && tools.length < MOST_TOOLS; page += 1) {
    const params = typeof cursor === "string" ? { cursor } : {};
    const answer = await client.request({ method: "tools/list", params }, anything, { timeout, signal });
    const fields = isFields(answer) ? answer : {};
    for (const tool of Array.isArray(fields["tools"]) ? fields["tools"] : []) tools.push(tool);
    const next = fields["nextCursor"];
    if (typeof next !== "string" || next === cursor) break;
    cursor = next;
  }
  return tools;
}

/**
 * Over HTTP nothing says that a server is gone. After an error it is asked for a sign of life, once at a time; a
 * connection without one is closed, so that waiting calls end.
 */
function checkLater(client: Client, close: () => Promise<void>): () => void {
  let isChecking = false;
  return () => {
    if (isChecking) return;
    isChecking = true;
    client
      .ping({ timeout: PING_MS })
      .catch(async (error: unknown) => {
        if (readFailure(error).kind !== "answered") await close();
      })
      .finally(() => {
        isChecking = false;
      });
  };
}
