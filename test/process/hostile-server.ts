import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";

/** What a server says to one request: blocks of a message, or whatever it likes; blocks that it gives back are sent. */
export type Answer =
  | readonly Block[]
  | ((request: IncomingMessage, response: ServerResponse, body: string) => void | readonly Block[]);

export type Block =
  | { readonly text: string }
  | { readonly tool: string; readonly input: unknown; readonly id?: string };

export interface HostileServer {
  readonly url: string;
  /** Bodies of the requests so far. */
  readonly bodies: readonly string[];
  readonly close: () => Promise<void>;
}

/** A server of the Messages API that says what it is told to, one answer a request; the last one again and again. */
export async function startHostileServer(answers: readonly Answer[]): Promise<HostileServer> {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
    request.on("end", () => {
      bodies.push(body);
      const answer = answers[Math.min(bodies.length, answers.length) - 1] ?? [{ text: "done" }];
      const blocks = typeof answer === "function" ? answer(request, response, body) : answer;
      if (blocks !== undefined) streamMessage(response, blocks, { turn: bodies.length });
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    bodies,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** A message that ends for a reason of its own. */
export const endingWith =
  (stopReason: string, blocks: readonly Block[]): Answer =>
  (_request, response) =>
    streamMessage(response, blocks, { turn: 1, stopReason });

/** The keys that a request was sent with, for an error that repeats them. */
export const echoKeys = ({ headers }: IncomingMessage): string =>
  ["authorization", "x-api-key", "x-own-key"]
    .flatMap((name) => (headers[name] === undefined ? [] : [`${name}: ${String(headers[name])}`]))
    .join(", ");

function streamMessage(
  response: ServerResponse,
  blocks: readonly Block[],
  { turn, stopReason }: { readonly turn: number; readonly stopReason?: string },
): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (type: string, fields: object): void =>
    void response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
  const usage = { input_tokens: 100, output_tokens: 10 };
  send("message_start", {
    message: {
      id: `msg_${turn}`,
      type: "message",
      role: "assistant",
      model: "claude-sonnet-5",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    },
  });
  for (const [index, block] of blocks.entries()) {
    if ("text" in block) {
      send("content_block_start", { index, content_block: { type: "text", text: "" } });
      send("content_block_delta", { index, delta: { type: "text_delta", text: block.text } });
    } else {
      const { tool: name, id = `toolu_${turn}_${index}` } = block;
      send("content_block_start", { index, content_block: { type: "tool_use", id, name, input: {} } });
      const partial_json = JSON.stringify(block.input);
      send("content_block_delta", { index, delta: { type: "input_json_delta", partial_json } });
    }
    send("content_block_stop", { index });
  }
  const stop_reason = stopReason ?? (blocks.some((block) => "tool" in block) ? "tool_use" : "end_turn");
  send("message_delta", { delta: { stop_reason, stop_sequence: null }, usage });
  send("message_stop", {});
  response.end();
}
