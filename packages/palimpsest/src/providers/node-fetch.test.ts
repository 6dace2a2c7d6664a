import type { Message } from "@palimpsest/core";
import { createNormaliser } from "@palimpsest/core/engine";
import { sendable } from "@palimpsest/core/protocols";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createSimulator } from "../simulator/core/create-simulator.js";
import { createSimulatorApp } from "../simulator/http/app.js";
import { startSimulatorServer } from "../simulator/http/node-server.js";
import { createRequestLog } from "../simulator/http/request-log.js";
import { createScriptPlayer } from "../simulator/players/script-player.js";
import { createNodeFetch } from "./node-fetch.js";
import { collect, failureOf, provide, request } from "./testing/anthropic-calls.js";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function serve(listener: RequestListener): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

describe("fetch on Node's own client", () => {
  it("sends texts and bytes, and gives status, headers and body", async () => {
    const { url } = await serve((incoming, outgoing) => {
      void (async () => {
        const chunks: Buffer[] = [];
        for await (const chunk of incoming) chunks.push(chunk as Buffer);
        outgoing.writeHead(418, { "x-method": incoming.method, "x-own": incoming.headers["x-own"] });
        outgoing.end(Buffer.concat(chunks));
      })();
    });
    const fetch = createNodeFetch();
    for (const body of ["größer", Buffer.from("größer")]) {
      const response = await fetch(url, { method: "POST", body, headers: { "X-Own": "yes" } });
      expect(response.status).toBe(418);
      expect([response.headers.get("x-method"), response.headers.get("x-own")]).toEqual(["POST", "yes"]);
      expect(await response.text()).toBe("größer");
    }
    await expect(fetch(url, { method: "POST", body: new URLSearchParams("a=b") })).rejects.toThrow(TypeError);
  });

  it("uses a connection again", async () => {
    const { url, server } = await serve((_, outgoing) => outgoing.end("ok"));
    let connections = 0;
    server.on("connection", () => (connections += 1));
    const fetch = createNodeFetch();
    for (let turn = 0; turn < 5; turn += 1) await (await fetch(url)).text();
    expect(connections).toBe(1);
  });

  it("hands on a long body in pieces, whole", async () => {
    const { url } = await serve((_, outgoing) => {
      for (let piece = 0; piece < 200; piece += 1) outgoing.write("x".repeat(10_000));
      outgoing.end();
    });
    expect(await (await createNodeFetch()(url)).text()).toHaveLength(2_000_000);
  });

  it("a response without a body has none", async () => {
    const { url } = await serve((_, outgoing) => outgoing.writeHead(204).end());
    const response = await createNodeFetch()(url);
    expect([response.status, response.body]).toEqual([204, null]);
  });

  it("whoever calls it off, or stops reading, closes the connection", async () => {
    let closed = 0;
    const stop = new AbortController();
    const { url } = await serve((incoming, outgoing) => {
      outgoing.once("close", () => (closed += 1));
      if (incoming.url === "/begins") outgoing.write("begin");
      // Not before it has arrived.
      else stop.abort();
    });
    const fetch = createNodeFetch();
    const waiting = fetch(url, { signal: stop.signal });
    await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
    await expect.poll(() => closed).toBe(1);
    const { body } = await fetch(`${url}/begins`);
    await body?.cancel();
    await expect.poll(() => closed).toBe(2);
  });

  it("a connection that is refused or breaks says so by its code", async () => {
    const { url, server } = await serve((_, outgoing) => {
      outgoing.write("begin");
      setTimeout(() => outgoing.destroy(), 20);
    });
    const response = await createNodeFetch()(url);
    await expect(response.text()).rejects.toMatchObject({ code: "ECONNRESET" });
    server.close();
    server.closeAllConnections();
    await expect(createNodeFetch()(url)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });
});

describe("the Anthropic provider on it", () => {
  it("streams, fails and is tried again as on the global one", async () => {
    const log = createRequestLog();
    const steps = [
      { error: { status: 529, type: "overloaded_error", message: "Overloaded" } },
      "It is said.",
    ];
    const app = createSimulatorApp({
      simulator: createSimulator({ player: createScriptPlayer({ steps }) }),
      log,
    });
    const server = await startSimulatorServer({ app });
    closers.push(() => server.close());
    const provider = provide({ baseUrl: server.url, fetch: createNodeFetch(), baseMs: 1 });
    expect((await collect(provider)).at(-1)).toMatchObject({
      kind: "message",
      message: { content: [{ type: "text", text: "It is said." }] },
    });
    expect(log.since(0).map(({ status }) => status)).toEqual([529, 200]);
    await server.close();
    const gone = provide({ baseUrl: server.url, fetch: createNodeFetch(), maxRetries: 0 });
    expect(await failureOf(gone)).toMatchObject({ kind: "connection", retryable: true });
  });

  it("sends a growing conversation in the bytes that JSON makes of it, with their length", async () => {
    const seen: { readonly body: string; readonly length: string | undefined }[] = [];
    const { url } = await serve((incoming, outgoing) => {
      void (async () => {
        const chunks: Buffer[] = [];
        for await (const chunk of incoming) chunks.push(chunk as Buffer);
        seen.push({
          body: Buffer.concat(chunks).toString(),
          length: incoming.headers["content-length"],
        });
        outgoing.writeHead(400, { "content-type": "application/json" }).end("{}");
      })();
    });
    const provider = provide({ baseUrl: url, fetch: createNodeFetch(), maxRetries: 0 });
    const normaliser = createNormaliser({});
    const sent: string[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      const said = { role: "user", content: `größer ${"x".repeat(40_000)}` };
      const answered = { id: `m${turn}`, role: "assistant", content: [{ type: "text", text: "…" }] };
      const { messages } = normaliser.append([
        { type: "user", uuid: `u${turn}`, message: said } as unknown as Message,
        { type: "assistant", uuid: `a${turn}`, message: answered } as unknown as Message,
      ]);
      const growing = sendable({ ...request, messages });
      await collect(provider, { request: growing });
      sent.push(JSON.stringify({ ...growing, stream: true }));
    }
    expect(seen.map(({ body }) => body)).toEqual(sent);
    expect(seen.map(({ length }) => length)).toEqual(sent.map((body) => String(Buffer.byteLength(body))));
  });
});
