import type { ApiFailure, ModelProvider } from "@palimpsest/core";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createAnthropicProvider } from "./anthropic.js";
import { createNodeFetch } from "./node-fetch.js";
import { createOpenAiCompatibleProvider } from "./openai-compatible.js";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

/** A server that answers every request in this way, and how often it was asked. */
async function serve(answer: (response: ServerResponse) => void) {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    request.resume();
    request.on("end", () => answer(response));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
  };
}

const limits = { maxResponseBytes: 300_000, ports: { sleep: async () => {} } };
type Provide = (baseUrl: string, more?: { readonly stallTimeoutMs?: number }) => ModelProvider;
const providers: Readonly<Record<string, Provide>> = {
  anthropic: (baseUrl, more) => createAnthropicProvider({ ...limits, ...more, baseUrl, apiKey: "k" }),
  "anthropic on Node's client": (baseUrl, more) =>
    createAnthropicProvider({ ...limits, ...more, baseUrl, apiKey: "k", fetch: createNodeFetch() }),
  "openai-compatible": (baseUrl, more) =>
    createOpenAiCompatibleProvider({ ...limits, ...more, baseUrl, apiKey: "k" }),
};
const everyone = Object.entries(providers);

async function failureOf(provider: ModelProvider): Promise<ApiFailure | undefined> {
  const content = [{ type: "text" as const, text: "x" }];
  const request = { model: "m", max_tokens: 10, messages: [{ role: "user" as const, content }] };
  for await (const output of provider.stream({ request })) if (output.kind === "error") return output.failure;
  return undefined;
}

const sse = { "content-type": "text/event-stream" };
const words = "word ".repeat(2000);

const endless =
  (status: number, headers: Readonly<Record<string, string>>, head: string, more: string) =>
  (response: ServerResponse): void => {
    response.writeHead(status, headers);
    response.write(head);
    const go = (): void => {
      while (!response.destroyed && response.write(more));
      if (!response.destroyed) response.once("drain", go);
    };
    go();
  };

const chat = (content: string): string =>
  `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta: { content } }] })}\n\n`;

describe.each(everyone)("%s", (_, provide) => {
  it.each([
    ["an endless line", endless(200, sse, "data: ", words)],
    ["an endless event", endless(200, sse, "", `data: ${words}\n`)],
    ["endless comments", endless(200, sse, "", `: ${words}\n\n`)],
    ["endless events", endless(200, sse, "", `: x\n\n${chat("")}`)],
    ["endless JSON", endless(200, { "content-type": "application/json" }, '{"a":"', words)],
  ])("%s is one sentence, and not tried again", async (_, answer) => {
    const { url, requests } = await serve(answer);
    const failure = await failureOf(provide(url));
    expect(failure?.kind).toBe("api");
    expect(failure?.message).toMatch(
      /^the server (?:sent more than 300000 bytes for one answer|broke the protocol)/,
    );
    expect(requests()).toBeLessThanOrEqual(5);
  });

  it.each([
    ["text/html", "<h1>"],
    ["application/json", '{"error":{"type":"invalid_request_error","message":"'],
  ])("an endless error (%s) is cut off", async (type, head) => {
    const { url, requests } = await serve(endless(400, { "content-type": type }, head, words));
    const failure = await failureOf(provide(url));
    expect(failure).toMatchObject({ kind: "invalid-request", status: 400 });
    expect(failure?.message.length).toBeLessThan(2100);
    expect(requests()).toBe(1);
  });

  it.each([
    ["pings", 'event: ping\ndata: {"type":"ping"}\n\n'],
    ["comments", ": here\n\n"],
    ["blank lines", "\n"],
  ])("%s alone are one sentence", async (_, sign) => {
    const { url, requests } = await serve((response) => {
      response.writeHead(200, sse);
      const timer = setInterval(() => response.write(sign), 20);
      response.on("close", () => clearInterval(timer));
    });
    expect(await failureOf(provide(url, { stallTimeoutMs: 300 }))).toMatchObject({
      kind: "timeout",
      message: "the server sent signs of life for 0.3 seconds, and nothing of an answer",
    });
    expect(requests()).toBe(1);
  });

  it.each([301, 302, 303, 307, 308])("a redirect (%i) is told and not followed", async (status) => {
    let reached = 0;
    const other = await serve((response) => {
      reached += 1;
      response.end();
    });
    const { url, requests } = await serve((response) => {
      response.writeHead(status, { location: `${other.url}/v1?key=abcdefgh` }).end();
    });
    const failure = await failureOf(provide(url));
    expect(failure).toMatchObject({ kind: "invalid-request", retryable: false, status });
    expect(failure?.message).toContain(`redirects to ${new URL(other.url).host} (status ${status})`);
    expect(failure?.message).not.toContain("abcdefgh");
    expect([requests(), reached]).toEqual([1, 0]);
  });

  it("a redirect to nowhere is told too", async () => {
    const { url } = await serve((response) => {
      response.writeHead(304, { location: "http://[" }).end();
    });
    expect((await failureOf(provide(url)))?.message).toContain("redirects to another address (status 304)");
  });

  it.each([
    ["Fri, 31 Dec 2099 23:59:59 GMT", /asks to wait [\d,]+ days, which is not waited for/],
    ["999999999999", /asks to wait [\d,]+ days/],
    ["3600", /asks to wait 60 minutes/],
    ["90", /asks to wait 90 seconds/],
  ])("a retry-after of %s is told", async (value, sentence) => {
    const { url, requests } = await serve((response) => {
      response.writeHead(429, { "retry-after": value, "content-type": "application/json" });
      response.end('{"error":{"type":"rate_limit_error","message":"Too much."}}');
    });
    const failure = await failureOf(provide(url));
    expect(failure).toMatchObject({ kind: "rate-limit" });
    expect(failure?.message).toMatch(sentence);
    expect(requests()).toBe(1);
  });

  it("a server that nobody is, and a name that nobody has, are told with the host", async () => {
    const { url } = await serve(() => {});
    await Promise.all(closers.splice(0).map((close) => close()));
    const { host } = new URL(url);
    expect((await failureOf(provide(`${url}/path?key=abcdefgh`)))?.message).toBe(
      `the server refused the connection (${host}, ECONNREFUSED)`,
    );
    const unknown = await failureOf(provide("http://nobody.invalid/"));
    expect(unknown?.message).toMatch(
      /^the name of the server could not be resolved \(nobody\.invalid:80, (?:ENOTFOUND|EAI_AGAIN)\)$/,
    );
  });
});
