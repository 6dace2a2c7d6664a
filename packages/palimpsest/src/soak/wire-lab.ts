import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { ensure, ensureSame } from "./ensure.js";
import { WireReader, type WireHead } from "./wire-reader.js";
import { piecesOf, wireBytes, type WireHeaders, type WireScript } from "./wire-script.js";

/** What an upstream saw of a request. */
interface Seen {
  readonly head: WireHead;
  readonly body: Buffer;
  readonly isComplete: boolean;
}

/** An upstream and clients that speak in bytes: what goes through a gateway between them is compared. */
export interface WireLab {
  readonly upstreamUrl: string;
  /** Plays one exchange through the gateway on this port. Throws where one side sees other bytes than the other has sent. */
  play(script: WireScript, gatewayPort: number): Promise<void>;
  close(): Promise<void>;
}

export async function createWireLab(): Promise<WireLab> {
  const scripts = new Map<string, WireScript>();
  const seen = new Map<string, Seen>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("close", () => sockets.delete(socket)).on("error", () => {}));
    let reader = new WireReader();
    let isAnswering = false;
    socket.on("data", (bytes) => {
      reader.push(bytes, false);
      const { head } = reader;
      if (head === undefined) return;
      const id = head.headers.find(([name]) => name.toLowerCase() === "x-exchange")?.[1] ?? "";
      seen.set(id, { head, body: reader.body, isComplete: reader.isComplete });
      if (!reader.isComplete || isAnswering) return;
      isAnswering = true;
      reader = new WireReader();
      void answer(socket, scripts.get(id)).then(() => (isAnswering = false));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const upstreamUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    upstreamUrl,
    async play(script, gatewayPort) {
      scripts.set(script.id, script);
      try {
        const got = await ask(script, gatewayPort);
        compareAnswers(script, got);
        // Who leaves may have left before the upstream heard of it.
        const request = seen.get(script.id);
        if (request !== undefined || script.fate.kind !== "leave")
          compareRequests(script, request, upstreamUrl);
      } finally {
        scripts.delete(script.id);
        seen.delete(script.id);
      }
    },
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      if (server.listening) await once(server, "close");
    },
  };
}

async function answer(socket: Socket, script: WireScript | undefined): Promise<void> {
  if (script === undefined) {
    socket.destroy();
    return;
  }
  const { answer: message, fate } = script;
  const isShort = fate.kind === "cut" || fate.kind === "reset";
  const bytes = isShort ? wireBytes(message).subarray(0, fate.after) : wireBytes(message);
  await writePieces(socket, piecesOf(bytes, message.cuts));
  if (fate.kind === "reset") socket.resetAndDestroy();
  else if (fate.kind === "cut" || message.framing === "close") socket.end();
}

async function writePieces(socket: Socket, pieces: readonly Buffer[]): Promise<void> {
  for (const piece of pieces) {
    if (socket.destroyed || !socket.writable) return;
    if (!socket.write(piece))
      await Promise.race([once(socket, "drain"), once(socket, "close")]).catch(() => {});
    await turnOfTheLoop();
  }
}

interface Got {
  readonly head: WireHead | undefined;
  readonly body: Buffer;
  readonly isComplete: boolean;
}

/** Sends the request on a connection of its own, and reads until there is an answer or an end. */
async function ask({ request, prefix, answer: message, fate }: WireScript, port: number): Promise<Got> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  const isHead = request.firstLine.startsWith("HEAD ");
  const reader = new WireReader(({ firstLine }) => isHead || /^HTTP\/1\.1 (?:204|304)/.test(firstLine));
  let bytes = 0;
  const finished = new Promise<void>((resolve) => {
    socket.on("data", (chunk) => {
      bytes += chunk.length;
      reader.push(chunk, true);
      if (reader.isComplete || (fate.kind === "leave" && bytes >= fate.after)) resolve();
    });
    socket.once("end", () => reader.end());
    socket.once("close", () => resolve());
    socket.on("error", () => resolve());
  });
  await writePieces(socket, piecesOf(wireBytes(request, prefix), request.cuts));
  if (fate.kind === "leave" && fate.after === 0) socket.destroy();
  await finished;
  socket.destroy();
  ensure(message.framing !== "none" || reader.body.length === 0, "a body where there is none");
  return { head: reader.head, body: reader.body, isComplete: reader.isComplete };
}

const ofConnections = new Set(["connection", "keep-alive", "transfer-encoding"]);

const endToEnd = (headers: WireHeaders): WireHeaders =>
  headers.filter(([name]) => !ofConnections.has(name.toLowerCase()));

/** The headers as they were written, framing included. */
const writtenHeaders = (message: WireScript["request"]): WireHeaders => [
  ...message.headers,
  ...(message.framing === "length" ? [["Content-Length", String(message.body.length)] as const] : []),
];

function compareRequests({ request, fate }: WireScript, got: Seen | undefined, upstreamUrl: string): void {
  ensure(got !== undefined, () => `the upstream saw no request (${fate.kind} after ${fate.after})`);
  ensureSame(got.head.firstLine, request.firstLine, "the line of the request");
  const { host } = new URL(upstreamUrl);
  const expected = writtenHeaders(request).map(
    ([name, value]) => [name, name === "Host" ? host : value] as const,
  );
  // What is posted without a length has the length 0: nothing else can be said of it over a connection that stays.
  ensureSame(endToEnd(got.head.headers), endToEnd(expected), "the headers of the request");
  if (fate.kind === "leave" && !got.isComplete) {
    ensure(
      request.body.subarray(0, got.body.length).equals(got.body),
      "other bytes of a request that was given up",
    );
    return;
  }
  ensure(got.isComplete, "the request did not come to its end");
  ensure(got.body.equals(request.body), () => difference("request", got.body, request.body));
}

function compareAnswers({ answer: message, fate }: WireScript, got: Got): void {
  const whole = wireBytes(message);
  const headBytes = whole.indexOf("\r\n\r\n") + 4;
  if (fate.kind !== "whole" && fate.after < headBytes) {
    // What a head that did not come to its end says, nobody knows.
    ensure(!got.isComplete || fate.kind === "leave", "an answer that the upstream did not give");
    return;
  }
  if (got.head !== undefined) {
    ensureSame(got.head.firstLine, message.firstLine, "the line of the answer");
    ensureSame(endToEnd(got.head.headers), endToEnd(writtenHeaders(message)), "the headers of the answer");
  }
  const isWhole =
    fate.kind === "whole" || (fate.kind === "cut" && isEnded(message, fate.after, whole.length));
  if (isWhole) {
    ensure(got.isComplete, "the answer did not come to its end");
    const expected = fate.kind === "whole" ? message.body : bodyWithin(whole.subarray(0, fate.after));
    ensure(got.body.equals(expected), () => difference("answer", got.body, expected));
    return;
  }
  ensure(message.body.subarray(0, got.body.length).equals(got.body), () =>
    difference("answer", got.body, message.body),
  );
  if (fate.kind === "cut") {
    ensure(!got.isComplete, "an answer that was cut off came to an end");
    const expected = bodyWithin(whole.subarray(0, fate.after));
    ensure(got.body.equals(expected), () => difference("answer", got.body, expected));
  }
}

/** Whether an end of the connection here is the end of the message. */
const isEnded = (message: WireScript["answer"], after: number, length: number): boolean =>
  after >= length || message.framing === "close" || message.framing === "none";

/** The part of a body that these bytes of a message hold. */
function bodyWithin(bytes: Buffer): Buffer {
  const reader = new WireReader();
  reader.push(bytes, true);
  return reader.body;
}

function difference(what: string, got: Buffer, expected: Buffer): string {
  let at = 0;
  while (at < got.length && got[at] === expected[at]) at += 1;
  return `the body of the ${what} has ${got.length} bytes instead of ${expected.length}, and is the same for ${at}`;
}
