import { once } from "node:events";
import { request as requestHttp, type IncomingMessage } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { askRaw, createGatewayLab, type Answering, type GatewayLab } from "./testing/gateway-lab.js";

let lab: GatewayLab | undefined;
afterEach(async () => {
  await lab?.close();
  lab = undefined;
});

async function start(...given: Parameters<typeof createGatewayLab>): Promise<GatewayLab> {
  lab = await createGatewayLab(...given);
  return lab;
}

/** What a client sends and what it gets, as the contract's line needs it. */
interface Case {
  readonly line: string;
  readonly method?: string;
  readonly path?: string;
  readonly headers?: readonly string[];
  readonly body?: string;
  readonly status?: number;
  readonly answerHeaders?: readonly string[];
  readonly answer?: string;
}

const message = (more: object): string => JSON.stringify({ model: "claude-opus-5", max_tokens: 1, ...more });

/** Every line of "Must hold" of the contract with clients. What is passed on byte for byte holds all of them at once. */
const cases: readonly Case[] = [
  { line: "1 messages", body: message({ messages: [{ role: "user", content: "hi" }] }) },
  { line: "1 messages with beta in the query", path: "/v1/messages?beta=true", body: message({}) },
  {
    line: "1 models, with a redirect that is passed on and not followed",
    method: "GET",
    path: "/v1/models?limit=1000",
    status: 302,
    answerHeaders: ["Location", "/elsewhere"],
    answer: "",
  },
  {
    line: "1 HEAD /api/hello, refused as the upstream does",
    method: "HEAD",
    path: "/api/hello",
    status: 404,
    answer: "",
  },
  {
    line: "2 versions, betas and unknown headers and fields",
    headers: [
      "anthropic-version",
      "2026-10-21",
      "anthropic-beta",
      "a-1,b-2",
      "Anthropic-Beta",
      "c-3",
      "anthropic-never-heard-of",
      "é",
    ],
    body: '{ "model" : "claude-opus-5" , "never_heard_of":{"b":1,"a":2,"b":3}, "max_tokens":1e0 }',
  },
  {
    line: "3 session headers and metadata",
    headers: [
      "x-claude-code-session-id",
      "s-1",
      "x-claude-code-agent-id",
      "a-1",
      "x-claude-code-parent-agent-id",
      "p-1",
    ],
    body: message({ metadata: { user_id: '{"device_id":"d","account_uuid":"","session_id":"s-1"}' } }),
  },
  {
    line: "4 the attribution block stays first and unchanged",
    body: message({
      system: [
        { type: "text", text: "x-anthropic-billing-header: cc_version=2.1.325; cch=00000;" },
        { type: "text", text: "You are", cache_control: { type: "ephemeral" } },
      ],
    }),
  },
  {
    line: "6 errors with their wording, retry-after and rate limits",
    status: 429,
    answerHeaders: [
      "retry-after",
      "12",
      "anthropic-ratelimit-unified-status",
      "rejected",
      "anthropic-ratelimit-requests-reset",
      "2026-11-16T00:00:00Z",
      "x-should-retry",
      "true",
    ],
    body: message({}),
    answer:
      '{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed…"},"request_id":"r"}',
  },
  {
    line: "7 safeguards and their results",
    body: message({ safeguards: { tool_use: [{ id: "toolu_1", tool_use_id: "toolu_2" }] } }),
    answer: message({ type: "message", safeguard_results: [{ tool_use_id: "toolu_1", verdict: "ok" }] }),
  },
  {
    line: "8 block bindings, system messages, tools that are switched off",
    body: message({
      thinking: { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } },
      tool_choice: { type: "none" },
      tools: [{ name: "t", input_schema: { type: "object" } }],
      messages: [
        { role: "user", content: "a" },
        { role: "system", content: "bare" },
        { role: "assistant", content: [{ type: "thinking", thinking: "", signature: "s" }] },
      ],
    }),
    answer: message({
      type: "message",
      input_transformations: [{ type: "thinking_dropped", path: "messages.2" }],
    }),
  },
  {
    line: "9 a refusal about bindings is not hidden",
    status: 400,
    headers: ["anthropic-beta", "thinking-binding-controls-2026-08-01"],
    body: message({}),
    answer:
      '{"type":"error","error":{"type":"invalid_request_error","message":"messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation."}}',
  },
  { line: "10 batches", path: "/v1/messages/batches", body: '{"requests":[]}' },
  {
    line: "10 files",
    path: "/v1/files?beta=true",
    headers: ["content-type", "multipart/form-data; boundary=x"],
    body: "--x\r\nContent-Disposition: form-data; name=file\r\n\r\n\u0000\u00ff\r\n--x--",
  },
  {
    line: "10 server tools, containers and MCP servers",
    body: message({ container: "c", mcp_servers: [{ type: "url" }] }),
  },
  { line: "10 unknown paths", method: "DELETE", path: "/v1/never/heard%20of?a&a=%zz" },
  { line: "a malformed body goes upstream as it is", body: '{"model": "claude-opus-5", "messages": [{' },
  { line: "a body that is not UTF-8 goes upstream as it is", body: '{"model":"\u00ff\u00fe\u00c3"}' },
];

describe("what clients rely on", () => {
  it.each(cases)("$line", async (one) => {
    const { method = "POST", path = "/v1/messages", headers = [], body, status = 200 } = one;
    const { answerHeaders = ["content-type", "application/json"], answer = '{"type":"message"}' } = one;
    const { url, upstreamUrl, seen } = await start((_, outgoing) => {
      outgoing.sendDate = false;
      outgoing.writeHead(status, "As It Is", [
        ...answerHeaders,
        "Content-Length",
        String(Buffer.byteLength(answer)),
      ]);
      outgoing.end(answer);
    });
    for (const prefix of ["", "/anthropic"]) {
      const ask = { method, headers, ...(body === undefined ? {} : { body }) };
      const got = await askRaw(`${url}${prefix}${path}`, ask);
      expect(got).toMatchObject({ status, reason: "As It Is" });
      expect(got.headers.slice(0, answerHeaders.length)).toEqual(answerHeaders);
      expect(Buffer.from(got.body, "latin1").toString()).toBe(answer);
      const { host } = new URL(upstreamUrl);
      const framing = body === undefined ? [] : ["Content-Length", String(Buffer.byteLength(body, "latin1"))];
      expect(seen.at(-1)).toEqual({
        method,
        url: path,
        headers: ["Host", host, ...headers, ...framing, "Connection", "keep-alive"],
        body: body ?? "",
      });
    }
    expect(seen).toHaveLength(2);
  });

  it("1 thirty counts of tokens at once, none of them billed", async () => {
    const { url, proxy, seen } = await start((_, outgoing) => outgoing.end('{"input_tokens":7}'));
    const path = `${url}/anthropic/v1/messages/count_tokens?beta=true`;
    const counts = await Promise.all(
      Array.from({ length: 30 }, () => askRaw(path, { method: "POST", body: message({}) })),
    );
    expect(counts.every(({ body }) => body === '{"input_tokens":7}')).toBe(true);
    expect(seen).toHaveLength(30);
    await proxy.settled();
    expect(proxy.document()).toMatchObject({ requests: 30, tokenCounts: 30, cost: 0, models: {}, errors: 0 });
  });

  it("5 a stream comes event by event, pings and comments too, and in silence nothing is said", async () => {
    const events = [
      "event: ping\ndata: {}\n\n",
      ": keep-alive\n\n",
      "event: message_stop\r\ndata: {}\r\n\r\n",
    ];
    let next = (): void => {};
    const answer: Answering = (_, outgoing) => {
      const left = [...events];
      next = () => void (left.length === 0 ? outgoing.end() : outgoing.write(left.shift()));
      outgoing.writeHead(200, { "content-type": "text/event-stream" });
      outgoing.flushHeaders();
    };
    const { url } = await start(answer);
    const request = requestHttp(`${url}/v1/messages`, { method: "POST" });
    request.end("{}");
    const [incoming] = (await once(request, "response")) as [IncomingMessage];
    // Each is there before the next one is written.
    for (const event of events) {
      next();
      const [chunk] = (await once(incoming, "data")) as [Buffer];
      expect(chunk.toString()).toBe(event);
    }
    const ended = once(incoming, "end");
    next();
    await ended;
  });
});

describe("before a body is sent", () => {
  it("who waits to be asked for it is asked by the upstream, through the gateway", async () => {
    const { url, seen } = await start((_, outgoing) => outgoing.end("heard"));
    const request = requestHttp(`${url}/v1/messages`, {
      method: "POST",
      headers: { expect: "100-continue", "content-length": 5 },
    });
    request.flushHeaders();
    await once(request, "continue");
    expect(seen).toEqual([]);
    request.end("hello");
    const [incoming] = (await once(request, "response")) as [IncomingMessage];
    incoming.setEncoding("utf8");
    expect(await once(incoming, "data")).toEqual(["heard"]);
    expect(seen).toMatchObject([{ body: "hello" }]);
    expect(seen[0]?.headers).toEqual(expect.arrayContaining(["expect", "100-continue"]));
  });

  it("an upstream that refuses before the body has come is heard at once", async () => {
    const { createServer } = await import("node:http");
    const early = createServer((_, outgoing) => outgoing.writeHead(413).end("too much")).listen(
      0,
      "127.0.0.1",
    );
    await once(early, "listening");
    const upstream = `http://127.0.0.1:${(early.address() as { port: number }).port}`;
    const { url } = await start(() => {}, { upstream });
    const request = requestHttp(`${url}/v1/messages`, {
      method: "POST",
      headers: { "content-length": 100_000 },
    });
    request.on("error", () => {});
    request.write("the beginning");
    const [incoming] = (await once(request, "response")) as [IncomingMessage];
    expect(incoming.statusCode).toBe(413);
    request.destroy();
    early.closeAllConnections();
    early.close();
  });
});

describe("who goes away", () => {
  it("a client that gives up ends the request upstream, and what came by then is in the receipt", async () => {
    const start1 = `event: message_start\ndata: {"type":"message_start","message":{"model":"claude-opus-5","usage":{"input_tokens":100,"output_tokens":1}}}\n\n`;
    let gone: Promise<unknown> | undefined;
    const { url, proxy } = await start((_, outgoing) => {
      gone = once(outgoing, "close");
      outgoing.writeHead(200, { "content-type": "text/event-stream" });
      outgoing.write(start1);
    });
    const request = requestHttp(`${url}/v1/messages`, { method: "POST" });
    request.on("error", () => {});
    request.end("{}");
    const [incoming] = (await once(request, "response")) as [IncomingMessage];
    await once(incoming, "data");
    request.destroy();
    await gone;
    await expect.poll(() => proxy.document().requests).toBe(1);
    expect(proxy.document()).toMatchObject({
      usage: { input: 100, output: 1 },
      errorTypes: { "given up by the client": 1 },
    });
  });

  it("a client that gives up before there is an answer ends the request upstream", async () => {
    let asked: () => void;
    const heard = new Promise<void>((resolve) => (asked = resolve));
    let gone: Promise<unknown> | undefined;
    const { url } = await start((_, outgoing) => {
      gone = once(outgoing, "close");
      asked();
    });
    const request = requestHttp(`${url}/v1/messages`, { method: "POST" });
    request.on("error", () => {});
    request.end("{}");
    await heard;
    request.destroy();
    await gone;
  });

  it("an upstream that breaks off before it answers resets the client, and one that is not there is a sentence", async () => {
    const { url, proxy } = await start((incoming) => incoming.socket.destroy());
    await expect(askRaw(`${url}/v1/messages`, { method: "POST", body: "{}" })).rejects.toThrow(
      /socket hang up|ECONNRESET/,
    );
    const nobody = await createGatewayLab(() => {}, { upstream: "http://127.0.0.1:1" });
    const refused = await askRaw(`${nobody.url}/v1/messages`, { method: "POST", body: "{}" });
    await nobody.close();
    expect(refused.status).toBe(502);
    expect(JSON.parse(refused.body)).toMatchObject({
      type: "error",
      error: {
        type: "api_error",
        message:
          "palimpsest gateway: http://127.0.0.1:1 could not be reached (ECONNREFUSED); check the network and --upstream",
      },
    });
    expect(nobody.proxy.document()).toMatchObject({
      requests: 1,
      identical: 0,
      errorTypes: { "upstream not reached": 1 },
    });
    await proxy.settled();
    expect(proxy.document()).toMatchObject({ errorTypes: { "cut off by the upstream": 1 } });
  });

  it("a client that does not read holds the upstream up", async () => {
    const piece = Buffer.alloc(64 * 1024);
    let written = 0;
    const { url } = await start((_, outgoing) => {
      const write = (): void => {
        while (written < 400) {
          written += 1;
          if (!outgoing.write(piece)) return void outgoing.once("drain", write);
        }
        outgoing.end();
      };
      write();
    });
    const request = requestHttp(`${url}/v1/messages`, { method: "POST" });
    request.end("{}");
    const [incoming] = (await once(request, "response")) as [IncomingMessage];
    let before = -1;
    await expect
      .poll(
        () => {
          const isHeld = written === before;
          before = written;
          return isHeld;
        },
        { interval: 200 },
      )
      .toBe(true);
    expect(written).toBeLessThan(400);
    let bytes = 0;
    incoming.on("data", (part: Buffer) => (bytes += part.length));
    await once(incoming, "end");
    expect(bytes).toBe(400 * piece.length);
  });
});
