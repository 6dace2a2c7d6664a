import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { isLoopbackName } from "../../simulator/http/local-host.js";
import { isSubscriptionRequest, readAnswerHeaders, readRequestHeaders } from "../watch/read-headers.js";
import type { ExchangeWatch, Watcher } from "../watch/watcher.js";
import { answerControl, type Controlled } from "./control.js";
import type { Protocol } from "./protocol.js";
import { headerValue, headerValues, passedOn, type RawHeaders } from "./raw-headers.js";
import { refusalBody, refusals, unreachable, type Refusal } from "./refusal.js";
import { joinedPath, routeOf, type Route, type Tokens } from "./route.js";
import { UpstreamError, type Upstream } from "./upstream.js";

/** A request as it came: nothing joined, sorted, decoded or read. */
interface GatewayRequest {
  readonly method: string;
  /** The path with its query, byte for byte. */
  readonly target: string;
  readonly headers: RawHeaders;
  /** Not yet read. Undefined where there is none. */
  readonly body: Readable | undefined;
  /** Aborted where the client has gone away. */
  readonly signal: AbortSignal;
  /** HTTP/1.0 knows no chunks. */
  readonly knowsChunks?: boolean;
  /** The upstream asks for the body, where the client waits for that. */
  readonly onContinue?: () => void;
}

type GatewayAnswer =
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly reason: string;
      readonly headers: string[];
      /** A stream is the upstream's own, not yet read; where it fails, the answer is cut off. */
      readonly body: Buffer | IncomingMessage;
    }
  /** The upstream has broken off: whoever serves drops the connection. */
  | { readonly kind: "reset" };

export interface GatewayOptions {
  readonly upstreams: Readonly<Record<Protocol, Upstream>>;
  readonly watcher: Watcher;
  readonly tokens: Tokens;
  readonly control: Controlled;
  readonly now: () => number;
  readonly maxBodyBytes?: number;
}

export type Gateway = (request: GatewayRequest) => Promise<GatewayAnswer>;

/** More than the largest file that an API takes. Nothing of it is held. */
const MOST_BYTES = 512 * 1024 * 1024;

/**
 * What a request gets. In the modes that there are now, the bytes that came in go upstream and the bytes that come back go
 * down, unread on the way: what watches is told of them, and never waited for. Never rejects.
 */
export function createGateway(options: GatewayOptions): Gateway {
  const { tokens, control } = options;
  return async (request) => {
    const route = routeOf(request.target, tokens);
    if (route.kind === "refused") return refuse(route.refusal, "anthropic");
    // A page under a name of its own that leads here; a token is a proof.
    if (tokens.size === 0 && !isLocal(request.headers)) return refuse(refusals.strangeHost, "anthropic");
    if (route.kind === "control")
      return answerControl(route.name, request, { ...control, isOpen: tokens.size === 0 });
    // Nobody could say what goes through one. Clients that would rather have one go on by HTTP at this status, and only at this one.
    if (isWebSocket(request.headers))
      return refuse(refusals.webSocket, route.protocol, ["upgrade", "HTTP/1.1"]);
    return passThrough(request, route, options);
  };
}

const isLocal = (headers: RawHeaders): boolean =>
  headerValues(headers, "host").every((host) => isLoopbackName(host.replace(/:\d{0,9}$/, "").toLowerCase()));

const isWebSocket = (headers: RawHeaders): boolean =>
  headerValues(headers, "upgrade").some((value) => /^websocket\b/i.test(value));

function refuse(refusal: Refusal, protocol: Protocol, more: readonly string[] = []): GatewayAnswer {
  const body = refusalBody(refusal, protocol);
  const headers = ["content-type", "application/json", "content-length", String(body.length), ...more];
  return { kind: "answer", status: refusal.status, reason: "", headers, body };
}

type UpstreamRoute = Extract<Route, { readonly kind: "upstream" }>;

async function passThrough(
  request: GatewayRequest,
  { protocol, path, tenant }: UpstreamRoute,
  { upstreams, watcher, control, now, maxBodyBytes = MOST_BYTES }: GatewayOptions,
): Promise<GatewayAnswer> {
  const { method, headers, body, signal, onContinue } = request;
  const upstream = upstreams[protocol];
  if (Number(headerValue(headers, "content-length")) > maxBodyBytes)
    return refuse(refusals.tooLarge, protocol);
  const isWatched = control.mode() !== "off";
  if (!isWatched) watcher.pass();
  const watch = isWatched
    ? watcher.begin({
        at: now(),
        tenant,
        protocol,
        method,
        path,
        headers: readRequestHeaders(headers),
        isSubscription: isSubscriptionRequest(headers),
      })
    : undefined;
  const upload = followBody(body, { watch, maxBodyBytes, signal });
  try {
    const answer = await upstream.call({
      method,
      path: joinedPath(upstream.address.pathname, path),
      headers: forUpstream(request, upstream.address.host),
      body,
      signal: upload.signal,
      ...(onContinue === undefined ? {} : { onContinue }),
    });
    return passDown(answer, request, { watch, upload });
  } catch (error) {
    if (upload.isTooLarge()) {
      watch?.end("aborted", false);
      return refuse(refusals.tooLarge, protocol);
    }
    const isReached = !(error instanceof UpstreamError) || error.isReached;
    watch?.end(signal.aborted ? "aborted" : isReached ? "cut" : "unreachable", false);
    if (isReached) return { kind: "reset" };
    return refuse(unreachable(upstream.address.origin, (error as Error).message), protocol);
  }
}

/** As they came, for another host. A body of no length is said to have none: the client would call it chunked otherwise. */
function forUpstream({ headers, method }: GatewayRequest, host: string): string[] {
  const passed = passedOn(headers, { host, knowsChunks: true });
  if (headerValue(headers, "host") === undefined) passed.unshift("Host", host);
  const isFramed = ["content-length", "transfer-encoding"].some(
    (name) => headerValues(headers, name).length > 0,
  );
  if (!isFramed && /^(?:POST|PUT|PATCH)$/.test(method)) passed.push("Content-Length", "0");
  return passed;
}

interface Upload {
  /** Of the client, or because there was too much. */
  readonly signal: AbortSignal;
  readonly isTooLarge: () => boolean;
  /** Whether all of it has come. */
  readonly isWhole: () => boolean;
}

interface FollowOptions {
  readonly watch: ExchangeWatch | undefined;
  readonly maxBodyBytes: number;
  readonly signal: AbortSignal;
}

/** Looks on as a body goes by. */
function followBody(body: Readable | undefined, { watch, maxBodyBytes, signal }: FollowOptions): Upload {
  const stop = new AbortController();
  let bytes = 0;
  body?.on("data", (chunk: Uint8Array) => {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) stop.abort();
    else watch?.request(chunk);
  });
  // Who goes away in the middle of a body is heard of by the signal.
  body?.on("error", () => {});
  return {
    signal: AbortSignal.any([signal, stop.signal]),
    isTooLarge: () => bytes > maxBodyBytes,
    isWhole: () => body?.readableEnded ?? true,
  };
}

interface Passing {
  readonly watch: ExchangeWatch | undefined;
  readonly upload: Upload;
}

function passDown(
  answer: IncomingMessage,
  { knowsChunks = true, signal }: GatewayRequest,
  { watch, upload }: Passing,
): GatewayAnswer {
  const { statusCode: status = 502, statusMessage: reason = "", rawHeaders } = answer;
  if (watch !== undefined) {
    watch.answer({ status, headers: readAnswerHeaders(rawHeaders) });
    // Paused until it is served: whoever looks on hears what the client gets, at the client's pace.
    answer.pause();
    answer.on("data", (bytes: Uint8Array) => watch.answered(bytes));
    answer.once("end", () => watch.end("complete", upload.isWhole()));
    answer.once("close", () => watch.end(signal.aborted ? "aborted" : "cut", upload.isWhole()));
  }
  return { kind: "answer", status, reason, headers: passedOn(rawHeaders, { knowsChunks }), body: answer };
}
