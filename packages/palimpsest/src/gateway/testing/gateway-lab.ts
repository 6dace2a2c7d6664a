import { once } from "node:events";
import {
  createServer,
  request as requestHttp,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import type { ProxySettings } from "../launch/proxy-messages.js";
import { startProxy, type Proxy } from "../launch/start-proxy.js";
import { emptyReceipt } from "../receipt/receipt.js";
import { createExchangeReader } from "../watch/exchange-reader.js";

/** A request as the upstream saw it. */
interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly string[];
  readonly body: string;
}

export interface GatewayLab {
  readonly proxy: Proxy;
  readonly url: string;
  readonly upstreamUrl: string;
  readonly seen: readonly SeenRequest[];
  close(): Promise<void>;
}

export type Answering = (incoming: IncomingMessage, outgoing: ServerResponse, body: string) => void;

/** A gateway in this process before an upstream that answers as it is told. */
export async function createGatewayLab(
  answer: Answering,
  settings: Partial<ProxySettings> = {},
): Promise<GatewayLab> {
  const seen: SeenRequest[] = [];
  const listener: RequestListener = (incoming, outgoing) => {
    const parts: Buffer[] = [];
    incoming.on("data", (part: Buffer) => parts.push(part));
    incoming.on("error", () => {});
    incoming.on("end", () => {
      const { method = "", url = "", rawHeaders: headers } = incoming;
      const body = Buffer.concat(parts).toString("latin1");
      seen.push({ method, url, headers, body });
      answer(incoming, outgoing, body);
    });
  };
  const upstream = createServer(listener).listen(0, "127.0.0.1");
  await once(upstream, "listening");
  const upstreamUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const proxy = await startProxy(
    {
      upstream: upstreamUrl,
      upstreamOpenai: upstreamUrl,
      host: "127.0.0.1",
      port: 0,
      mode: "observe",
      tokens: [],
      controlToken: "control-token",
      receipt: emptyReceipt(0),
      ...settings,
    },
    { reader: createExchangeReader(), env: {} },
  );
  return {
    proxy,
    url: `http://127.0.0.1:${proxy.port}`,
    upstreamUrl,
    seen,
    async close() {
      await proxy.close();
      upstream.closeAllConnections();
      upstream.close();
    },
  };
}

export interface RawAnswer {
  readonly status: number;
  readonly reason: string;
  readonly headers: readonly string[];
  readonly body: string;
}

export interface RawAsk {
  readonly method?: string;
  readonly headers?: readonly string[];
  readonly body?: string;
}

/** Sends a request with the headers as they are given, and reads the answer as it is. Bodies as Latin-1. */
export async function askRaw(address: string, ask: RawAsk = {}): Promise<RawAnswer> {
  const { method = "GET", headers = [], body } = ask;
  const url = new URL(address);
  const request = requestHttp({
    hostname: url.hostname,
    port: url.port,
    path: address.slice(url.origin.length),
    method,
    headers: [
      "Host",
      url.host,
      ...headers,
      ...(body === undefined ? [] : ["Content-Length", String(Buffer.byteLength(body, "latin1"))]),
    ],
    agent: false,
  });
  request.end(body, "latin1");
  const [answer] = (await once(request, "response")) as [IncomingMessage];
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(part as Buffer);
  return {
    status: answer.statusCode ?? 0,
    reason: answer.statusMessage ?? "",
    headers: answer.rawHeaders,
    body: Buffer.concat(parts).toString("latin1"),
  };
}
