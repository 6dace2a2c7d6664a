import type { ScriptedFault, ScriptedTurn } from "@palimpsest/core/testing";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { chatChunks, type ChatDialect } from "./chat-chunks.js";

export interface ChatServerOptions {
  readonly script: readonly ScriptedTurn[];
  /** How the server speaks the protocol. Default `openai`. */
  readonly dialect?: ChatDialect;
  /** Answers in place of the script, where it answers at all. */
  readonly answer?: (request: ReceivedRequest, outgoing: ServerResponse) => boolean;
}

interface ReceivedRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ChatServer {
  /** With the path before `/chat/completions`. */
  readonly baseUrl: string;
  readonly received: readonly ReceivedRequest[];
  /** Responses whose client went away before their end. */
  abandoned(): number;
  close(): Promise<void>;
}

/** A chat server on this machine that takes the turns of a script in their order, one for each request. */
export async function startChatServer(options: ChatServerOptions): Promise<ChatServer> {
  const { script, dialect = "openai", answer = () => false } = options;
  const received: ReceivedRequest[] = [];
  let abandoned = 0;
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const body = await readBody(incoming);
      const { method, url, headers } = incoming;
      const request = { method, url, headers, body };
      received.push(request);
      outgoing.on("error", () => {});
      outgoing.on("close", () => {
        if (!outgoing.writableFinished) abandoned += 1;
      });
      if (answer(request, outgoing)) return;
      const turn = script[received.length - 1] ?? { text: "The script is over." };
      const problem = problemIn(request);
      if (problem !== undefined) refuse(outgoing, { status: 400, message: problem });
      else take(turn, { outgoing, body, dialect, number: received.length });
    })();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    received,
    abandoned: () => abandoned,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readBody(incoming: IncomingMessage): Promise<ReceivedRequest["body"]> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  try {
    return JSON.parse(Buffer.concat(pieces).toString("utf8")) as ReceivedRequest["body"];
  } catch {
    return {};
  }
}

/** What servers of this protocol refuse, as far as an encoder can get it wrong. */
function problemIn({ method, url, body }: ReceivedRequest): string | undefined {
  if (method !== "POST" || url?.split("?")[0] !== "/v1/chat/completions") return "no such endpoint";
  if (body["stream"] !== true) return "this server only streams";
  const messages = body["messages"] as readonly Readonly<Record<string, unknown>>[];
  let unanswered: readonly unknown[] = [];
  for (const { role, tool_calls, tool_call_id } of messages) {
    if (role === "tool") {
      if (!unanswered.includes(tool_call_id)) return `no call has the id ${String(tool_call_id)}`;
      unanswered = unanswered.filter((id) => id !== tool_call_id);
    } else if (unanswered.length > 0) return "calls have to be answered by the messages after them";
    if (Array.isArray(tool_calls)) unanswered = tool_calls.map(({ id }: { readonly id: unknown }) => id);
  }
  return unanswered.length > 0 ? "the last calls have no answer" : undefined;
}

interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function refuse(outgoing: ServerResponse, { status, message, code, headers = {} }: Refusal): void {
  outgoing.writeHead(status, { "content-type": "application/json", ...headers });
  outgoing.end(JSON.stringify({ error: { message, type: "invalid_request_error", param: null, code } }));
}

const refusals: Readonly<Partial<Record<ScriptedFault, Refusal>>> = {
  "rate-limit": {
    status: 429,
    message: "Rate limit reached on tokens per min (TPM): Limit 30000, Used 29000, Requested 3000.",
    code: "rate_limit_exceeded",
    headers: { "retry-after-ms": "1" },
  },
  overloaded: { status: 503, message: "The engine is currently overloaded, please try again later" },
  "server-error": { status: 500, message: "The server had an error while processing your request." },
  unauthorized: { status: 401, message: "Incorrect API key provided", code: "invalid_api_key" },
  overflow: {
    status: 400,
    message:
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 128001 tokens.",
    code: "context_length_exceeded",
  },
};

interface Taking {
  readonly outgoing: ServerResponse;
  readonly body: ReceivedRequest["body"];
  readonly dialect: ChatDialect;
  /** Of the request, from 1. */
  readonly number: number;
}

function take(turn: ScriptedTurn, { outgoing, body, dialect, number }: Taking): void {
  const { fault } = turn;
  const refusal = fault === undefined ? undefined : refusals[fault];
  if (refusal !== undefined) return refuse(outgoing, refusal);
  if (fault === "cut-before") return void outgoing.destroy();
  if (fault === "garbage") return garbage(outgoing, number);
  const chunks = chatChunks(turn, {
    dialect,
    number,
    promptCharacters: JSON.stringify(body["messages"]).length,
  });
  outgoing.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
  });
  if (fault === undefined) {
    for (const chunk of chunks) send(outgoing, chunk);
    outgoing.end();
    return;
  }
  const isBeforeText = fault === "cut-after-start" || fault === "hang";
  const shown = isBeforeText ? chunks.slice(0, 1) : chunks.slice(0, Math.ceil(chunks.length / 2));
  for (const chunk of shown) send(outgoing, chunk);
  if (fault === "error-mid-text") {
    send(outgoing, `data: ${JSON.stringify({ error: { message: "Overloaded", code: 503 } })}\n\n`);
    outgoing.end();
  } else if (fault !== "hang") {
    // What was written has to be on its way before the connection breaks.
    outgoing.write(": \n\n", () => setImmediate(() => outgoing.destroy()));
  }
}

/** In two pieces, cut anywhere: also within a character. */
function send(outgoing: ServerResponse, chunk: string): void {
  const bytes = Buffer.from(chunk, "utf8");
  const half = Math.floor(bytes.length / 2);
  outgoing.write(bytes.subarray(0, half));
  outgoing.write(bytes.subarray(half));
}

/** In turns a page of some proxy, a stream of something else, JSON of something else, and nothing. */
function garbage(outgoing: ServerResponse, number: number): void {
  const [type, body] = (
    [
      ["text/html", "<html><body>Please log in</body></html>"],
      ["text/event-stream", 'event: ping\ndata: {"nonsense":\n\ndata: [DONE]\n\n'],
      ["application/json", '{"hello":"world"}'],
      ["text/event-stream", ""],
    ] as const
  )[number % 4] ?? ["text/plain", ""];
  outgoing.writeHead(200, { "content-type": type });
  outgoing.end(body);
}
