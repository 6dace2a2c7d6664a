import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createSimulator } from "../simulator/core/create-simulator.js";
import { createSimulatorApp } from "../simulator/http/app.js";
import { startSimulatorServer } from "../simulator/http/node-server.js";
import { createRequestLog } from "../simulator/http/request-log.js";
import { createEchoPlayer } from "../simulator/players/echo-player.js";
import { collect, failureOf, provide, request } from "./testing/anthropic-calls.js";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

describe("the Anthropic provider over a socket", () => {
  async function startSimulator() {
    const log = createRequestLog();
    const app = createSimulatorApp({
      simulator: createSimulator({
        player: {
          answer: (_prompt, memory) => ({
            answer: {
              content: [{ type: "text", text: "words ".repeat(1000) }],
              delivery: { eventDelayMs: 30 },
            },
            memory,
          }),
        },
      }),
      log,
    });
    const server = await startSimulatorServer({ app });
    closers.push(() => server.close());
    return { log, provider: provide({ baseUrl: server.url }) };
  }

  it("whoever stops reading closes the connection", async () => {
    const { log, provider } = await startSimulator();
    for await (const { kind } of provider.stream({ request })) if (kind === "text") break;
    await expect.poll(() => log.since(0).map(({ journey }) => journey)).toEqual(["aborted"]);
  });

  it("whoever calls it off closes the connection", async () => {
    const { log, provider } = await startSimulator();
    const controller = new AbortController();
    const reading = collect(provider, {}, { signal: controller.signal });
    await expect.poll(() => log.since(0).length).toBe(1);
    controller.abort();
    expect((await reading).at(-1)).toMatchObject({ failure: { kind: "aborted" } });
    await expect.poll(() => log.since(0).map(({ journey }) => journey)).toEqual(["aborted"]);
  });

  /** Answers every request with a short message, and counts connections. */
  async function startCounting(): Promise<{ readonly url: string; readonly connections: () => number }> {
    const app = createSimulatorApp({ simulator: createSimulator({ player: createEchoPlayer() }) });
    let connections = 0;
    const server: Server = createServer((incoming, outgoing) => {
      void (async () => {
        let body = "";
        for await (const chunk of incoming) body += String(chunk);
        const headers = { "x-api-key": "k", "anthropic-version": "2026-10-21" };
        const url = "http://localhost/v1/messages";
        const response = await app(new Request(url, { method: "POST", headers, body }));
        outgoing.writeHead(response.status, Object.fromEntries(response.headers));
        for await (const chunk of response.body ?? []) outgoing.write(chunk);
        setTimeout(() => outgoing.end(), 20);
      })();
    });
    server.on("connection", () => (connections += 1));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closers.push(
      () =>
        new Promise((resolve) => {
          server.close(() => resolve());
          server.closeAllConnections();
        }),
    );
    const { port } = server.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}`, connections: () => connections };
  }

  it("one connection serves one call after the other", async () => {
    const { url, connections } = await startCounting();
    const provider = provide({ baseUrl: url });
    for (let calls = 0; calls < 5; calls += 1) {
      expect((await collect(provider)).at(-1)?.kind).toBe("message");
    }
    // The pool may open a second one before it knows that the first is free again.
    expect(connections()).toBeLessThanOrEqual(2);
  });

  it("nobody listening is a failure of the connection", async () => {
    const { url } = await startCounting();
    await Promise.all(closers.splice(0).map((close) => close()));
    expect(await failureOf(provide({ baseUrl: url }))).toEqual({
      kind: "connection",
      message: `the server refused the connection (${new URL(url).host}, ECONNREFUSED)`,
      retryable: true,
      isUnsent: true,
    });
  });
});
