import { gzipSync } from "node:zlib";
import type { Random } from "../bench/random.js";

export type WireHeaders = readonly (readonly [name: string, value: string])[];

/** One side of an exchange as it is written. */
export interface WireMessage {
  readonly firstLine: string;
  readonly headers: WireHeaders;
  readonly body: Buffer;
  /** How the end of the body is told. */
  readonly framing: "length" | "chunks" | "close" | "none";
  /** Where the bytes are cut into writes. */
  readonly cuts: readonly number[];
}

/** An exchange that chance has made up. */
export interface WireScript {
  readonly id: string;
  /** What the path has to begin with at the gateway, and does not at the upstream. */
  readonly prefix: string;
  readonly request: WireMessage;
  readonly answer: WireMessage;
  /**
   * `whole`; or the upstream ends (`cut`) or resets (`reset`) after so many bytes of its answer; or the client goes away after so
   * many bytes of it (`leave`).
   */
  readonly fate: { readonly kind: "whole" | "cut" | "reset" | "leave"; readonly after: number };
}

const names = [
  "x-api-key",
  "Authorization",
  "anthropic-version",
  "anthropic-beta",
  "Anthropic-Beta",
  "anthropic-unknown-thing",
  "X-Claude-Code-Session-Id",
  "x-stainless-OS",
  "Accept",
  "ACCEPT-encoding",
  "Cookie",
  "set-cookie",
  "Set-Cookie",
  "request-id",
  "retry-after",
  "anthropic-ratelimit-unified-5h-utilization",
  "X-Ünïcode".replaceAll(/[^\w-]/g, "_"),
  "Vary",
  "Date",
  "Server",
  "User-Agent",
  "Expires",
] as const;

const values = [
  "",
  "a",
  "a, b,c",
  "  inner   spaces".trim(),
  "\u00e9\u00ff latin",
  "x=1; y=2",
  '"quoted"',
  "0.5",
] as const;

const statuses = [
  "200 OK",
  "200 ",
  "201 Created Here",
  "202 Accepted",
  "204 No Content",
  "302 Found",
  "304 Not Modified",
  "400 Bad Request",
  "401 Unauthorized",
  "404 Not Found",
  "413 Too Large",
  "429 Too Many Requests",
  "500 Oh No",
  "529 Overloaded",
] as const;

const targets = [
  "/v1/messages",
  "/v1/messages?beta=true",
  "/v1/messages/count_tokens",
  "/v1/models?limit=1000",
  "/v1/files/a%2Fb?x=%zz&&=",
  "/v1/../odd//path",
  "/api/hello",
  "/v1/chat/completions",
  "/v1/responses",
] as const;

/** What was really sent and answered. */
interface RecordedBodies {
  readonly request: Buffer;
  readonly answer: Buffer;
}

/** `recorded`: the bodies of a call of a model, in place of made-up ones. */
export function makeWireScript(
  random: Random,
  id: string,
  mostBytes: number,
  recorded?: RecordedBodies,
): WireScript {
  const isPost = recorded !== undefined || random.next() < 0.8;
  const method = isPost ? "POST" : random.pick(["GET", "HEAD", "DELETE", "PUT", "PATCH"]);
  const prefix = random.pick(["", "/anthropic", "/openai"]);
  // Without a prefix, a path that begins like one would be one.
  const target = random.pick(targets);
  const hasBody = isPost || method === "PUT" || method === "PATCH";
  const request = message(random, {
    firstLine: `${method} ${target} HTTP/1.1`,
    headers: [
      ["Host", "gateway.localhost"],
      ["X-Exchange", id],
    ],
    body: hasBody ? (recorded?.request ?? body(random, mostBytes)) : Buffer.alloc(0),
    framings: hasBody ? ["length", "chunks"] : ["none"],
  });
  const status = recorded === undefined ? random.pick(statuses) : "200 OK";
  const isBodiless = /^(?:204|304)/.test(status) || method === "HEAD";
  const answer = message(random, {
    firstLine: `HTTP/1.1 ${status}`,
    headers: [["Content-Type", random.pick(["text/event-stream; charset=utf-8", "application/json", "x/y"])]],
    body: isBodiless ? Buffer.alloc(0) : (recorded?.answer ?? body(random, mostBytes)),
    framings: isBodiless ? ["none"] : ["length", "chunks", "chunks", "close"],
  });
  const kind = random.next() < 0.75 || isBodiless ? "whole" : random.pick(["cut", "reset", "leave"] as const);
  // Not after its last byte: a connection that is closed then may carry the next request already, which nobody answers.
  return { id, prefix, request, answer, fate: { kind, after: random.below(wireBytes(answer).length) } };
}

interface Parts {
  readonly firstLine: string;
  readonly headers: WireHeaders;
  readonly body: Buffer;
  readonly framings: readonly WireMessage["framing"][];
}

function message(random: Random, { firstLine, headers, body: content, framings }: Parts): WireMessage {
  const more = Array.from(
    { length: random.below(14) },
    () => [random.pick(names), random.pick(values)] as const,
  );
  const all = [...headers, ...more].toSorted(() => random.next() - 0.5);
  const cuts = Array.from({ length: random.below(8) }, () => random.below(content.length + 300));
  return {
    firstLine,
    headers: all,
    body: content,
    framing: random.pick(framings),
    cuts: cuts.toSorted((a, b) => a - b),
  };
}

/** Bodies as there are, and as there should not be. */
function body(random: Random, mostBytes: number): Buffer {
  const text = (length: number): string =>
    "abc \u{1f600} \u00e9 \\n".repeat(Math.ceil(length / 12)).slice(0, length);
  const size = random.below(random.next() < 0.1 ? mostBytes : Math.min(mostBytes, 4000));
  switch (random.below(7)) {
    case 0:
      return Buffer.alloc(0);
    case 1:
      return Buffer.from(Array.from({ length: Math.min(size, 5000) }, () => random.below(256)));
    case 2:
      return gzipSync(text(size));
    case 3:
      return Buffer.from(
        `{"model":"claude-opus-5","model":"again","unknown":{"a":[${size}]},"messages":[{"role":"user","content":${JSON.stringify(text(size))}}]}`,
      );
    case 4:
      return Buffer.concat([
        Buffer.from('{"text":"'),
        Buffer.from([0xff, 0xfe, 0xc3]),
        Buffer.from(text(size)),
      ]);
    case 5:
      return Buffer.from(events(random, text(size)));
    default:
      return Buffer.from(text(size));
  }
}

function events(random: Random, text: string): string {
  const start = `event: message_start\ndata: {"type":"message_start","message":{"type":"message","model":"claude-opus-5","usage":{"input_tokens":${random.below(1000)},"output_tokens":1}}}\n\n`;
  const deltas = Array.from(
    { length: random.below(20) },
    () =>
      `event: content_block_delta\r\ndata: ${JSON.stringify({ type: "content_block_delta", text: text.slice(0, random.below(200)) })}\r\n\r\n`,
  );
  const ping = ": a comment\n\nevent: ping\ndata: {}\n\n";
  const end = `event: message_delta\ndata: {"type":"message_delta","usage":{"output_tokens":${random.below(1000)}}}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n`;
  return [start, ...deltas, ping, random.next() < 0.8 ? end : end.slice(0, 30)].join("");
}

/** A message as it goes over the wire, its path after a prefix. */
export function wireBytes({ firstLine, headers, body: content, framing }: WireMessage, prefix = ""): Buffer {
  const framed: WireHeaders = [
    ...headers,
    ...(framing === "length" ? [["Content-Length", String(content.length)] as const] : []),
    ...(framing === "chunks" ? [["Transfer-Encoding", "chunked"] as const] : []),
    ...(framing === "close" ? [["Connection", "close"] as const] : []),
  ];
  const line = prefix === "" ? firstLine : firstLine.replace(" /", ` ${prefix}/`);
  const head = [line, ...framed.map(([name, value]) => `${name}: ${value}`), "", ""].join("\r\n");
  return Buffer.concat([Buffer.from(head, "latin1"), framing === "chunks" ? chunked(content) : content]);
}

function chunked(content: Buffer): Buffer {
  const size = Math.max(1, (content.length % 977) + 13);
  const parts: Buffer[] = [];
  for (let at = 0; at < content.length; at += size) {
    const part = content.subarray(at, at + size);
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from("\r\n"));
  }
  return Buffer.concat([...parts, Buffer.from("0\r\n\r\n")]);
}

/** The bytes in the pieces in which they are written. */
export function piecesOf(bytes: Buffer, cuts: readonly number[]): readonly Buffer[] {
  const places = [0, ...cuts.filter((cut) => cut < bytes.length), bytes.length];
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}
