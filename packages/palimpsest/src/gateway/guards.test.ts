import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { joinedPath } from "./http/route.js";
import { startProxy } from "./launch/start-proxy.js";
import { emptyReceipt } from "./receipt/receipt.js";
import { askRaw, createGatewayLab, type GatewayLab } from "./testing/gateway-lab.js";
import { createExchangeReader } from "./watch/exchange-reader.js";

let lab: GatewayLab | undefined;
afterEach(async () => {
  await lab?.close();
  lab = undefined;
});

async function start(settings: Parameters<typeof createGatewayLab>[1] = {}): Promise<GatewayLab> {
  lab = await createGatewayLab((_, outgoing) => outgoing.end('{"type":"message"}'), settings);
  return lab;
}

const typeOf = (body: string): unknown => (JSON.parse(body) as { error: { type: string } }).error.type;

/** Sends bytes as they are, and gives what comes back until the end. */
async function speak(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.end(text);
  let got = "";
  socket.setEncoding("latin1").on("data", (piece: string) => (got += piece));
  await once(socket, "close");
  return got;
}

describe("who is let in", () => {
  it("a page under a name of its own that leads here is refused, and nothing goes upstream", async () => {
    const { proxy, seen } = await start();
    for (const host of ["evil.example", "127.0.0.1.evil.example", "evil.example:80\r\nHost: localhost"]) {
      const got = await speak(
        proxy.port,
        `GET /v1/models HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      );
      expect(got).toContain("HTTP/1.1 403");
    }
    expect(seen).toEqual([]);
  });

  it("a WebSocket is refused with the status at which clients go on by HTTP, and nothing goes upstream", async () => {
    const { url, seen } = await start();
    const { status, headers, body } = await askRaw(`${url}/openai/v1/responses`, {
      headers: ["Connection", "Upgrade", "Upgrade", "websocket", "Sec-WebSocket-Version", "13"],
    });
    expect(status).toBe(426);
    expect(headers).toContain("upgrade");
    expect(JSON.parse(body)).toMatchObject({
      error: { message: expect.stringMatching(/must be asked by HTTP$/) as unknown },
    });
    expect(seen).toEqual([]);
  });

  it("nobody uses it as a proxy for other addresses", async () => {
    const { proxy, seen } = await start();
    const head = "HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    expect(await speak(proxy.port, `GET http://evil.example/v1/models ${head}`)).toContain("HTTP/1.1 400");
    expect(await speak(proxy.port, `CONNECT evil.example:443 ${head}`)).not.toContain("200");
    expect(seen).toEqual([]);
  });

  it("with a token, only a path that begins with it; the token goes no further", async () => {
    const token = "token-of-the-team-1234";
    const { url, seen, proxy } = await start({ tokens: [token, "token-of-another-5678"] });
    for (const path of [
      "/v1/models",
      "/anthropic/v1/models",
      "/token-of-the-team-123/v1/models",
      "/__gateway/stats",
      "/",
    ]) {
      const { status, body } = await askRaw(`${url}${path}`);
      expect({ path, status, type: typeOf(body) }).toEqual({
        path,
        status: 401,
        type: "authentication_error",
      });
    }
    expect(seen).toEqual([]);
    const good = await askRaw(`${url}/${token}/anthropic/v1/models?limit=1`, { headers: ["X-Host", "any"] });
    expect(good.status).toBe(200);
    expect(seen[0]).toMatchObject({ url: "/v1/models?limit=1" });
    expect(JSON.stringify(seen)).not.toContain(token);
    // Figures are for who can read the lock file.
    expect((await askRaw(`${url}/${token}/__gateway/stats`)).status).toBe(401);
    const stats = await askRaw(`${url}/${token}/__gateway/stats`, {
      headers: ["Authorization", "Bearer control-token"],
    });
    expect(JSON.parse(stats.body)).toMatchObject({ requests: 1 });
    expect(proxy.document().requests).toBe(1);
  });

  it("a body that is too large is refused, said at once or found out on the way", async () => {
    const upstream = await start();
    const { createGateway } = await import("./http/gateway.js");
    const { createUpstream } = await import("./http/upstream.js");
    const { createWatcher } = await import("./watch/watcher.js");
    const { Readable } = await import("node:stream");
    const client = createUpstream(new URL(upstream.upstreamUrl));
    const gateway = createGateway({
      upstreams: { anthropic: client, openai: client },
      watcher: createWatcher({ reader: createExchangeReader(), now: () => 0, onPass() {}, onRecord() {} }),
      tokens: new Set(),
      now: () => 0,
      maxBodyBytes: 100,
      control: {
        token: "t",
        mode: () => "observe",
        setMode() {},
        whatIf: () => Promise.resolve({}),
        stats: () => Promise.resolve({}),
      },
    });
    const ask = (headers: string[]): ReturnType<typeof gateway> =>
      gateway({
        method: "POST",
        target: "/v1/messages",
        headers: ["Host", "localhost", ...headers],
        body: Readable.from([Buffer.alloc(60), Buffer.alloc(60)]),
        signal: new AbortController().signal,
      });
    expect(await ask(["Content-Length", "101"])).toMatchObject({ status: 413 });
    expect(await ask(["Transfer-Encoding", "chunked"])).toMatchObject({ status: 413 });
    client.close();
  });
});

describe("control", () => {
  it("modes are switched by whoever has the lock file's token, and by nobody else", async () => {
    const { url, proxy } = await start();
    const post = (headers: readonly string[], body: string) =>
      askRaw(`${url}/__gateway/mode`, { method: "POST", headers, body });
    const token = ["Authorization", "Bearer control-token"];
    expect((await post([], '{"mode":"off"}')).status).toBe(401);
    expect((await post(["Authorization", "Bearer other"], '{"mode":"off"}')).status).toBe(401);
    expect((await post([...token, "Origin", "http://localhost"], '{"mode":"off"}')).status).toBe(403);
    for (const wrong of ['{"mode":"active"}', "{", "null", '{"mode":["off"]}'])
      expect(await post(token, wrong)).toMatchObject({ status: 400 });
    expect(JSON.parse((await askRaw(`${url}/__gateway/mode`)).body)).toEqual({ mode: "observe" });
    await askRaw(`${url}/v1/messages`, { method: "POST", body: "{}" });
    expect(JSON.parse((await post(token, '{"mode":"off"}')).body)).toEqual({ mode: "off" });
    await askRaw(`${url}/v1/messages`, { method: "POST", body: "{}" });
    await proxy.settled();
    expect(proxy.document()).toMatchObject({ mode: "off", requests: 2, identical: 2, unwatched: 1 });
    expect((await askRaw(`${url}/__gateway/nothing`)).status).toBe(404);
    expect((await askRaw(`${url}/__gateway/stats`, { method: "POST", body: "" })).status).toBe(405);
    expect((await askRaw(`${url}/__gateway/stats`, { headers: ["Origin", "null"] })).status).toBe(403);
  });
});

describe("where requests go", () => {
  it("by the prefix of their path, /v1 once", async () => {
    const openai = await createGatewayLab((_, outgoing) => outgoing.end("{}"));
    const { url, seen } = await start({ upstreamOpenai: `${openai.upstreamUrl}/base/v1` });
    await askRaw(`${url}/openai/v1/chat/completions?x=1`, { method: "POST", body: "{}" });
    await askRaw(`${url}/openai/v1`);
    await askRaw(`${url}/anthropic?x`);
    await askRaw(`${url}/anthropics/x`);
    expect(openai.seen.map((request) => request.url)).toEqual(["/base/v1/chat/completions?x=1", "/base/v1"]);
    expect(seen.map((request) => request.url)).toEqual(["/?x", "/anthropics/x"]);
    await openai.close();
    expect(joinedPath("/", "/v1/x")).toBe("/v1/x");
    expect(joinedPath("/v1/", "/v1?x")).toBe("/v1?x");
    expect(joinedPath("/v1", "/v1x")).toBe("/v1/v1x");
  });

  it("a port that is taken is a sentence", async () => {
    const { proxy } = await start();
    const settings = {
      upstream: "http://127.0.0.1:1",
      upstreamOpenai: "http://127.0.0.1:1",
      host: "127.0.0.1",
      port: proxy.port,
      mode: "observe",
      tokens: [],
      controlToken: "t",
      receipt: emptyReceipt(0),
    } as const;
    await expect(startProxy(settings, { reader: createExchangeReader(), env: {} })).rejects.toThrow(
      `port ${proxy.port} of 127.0.0.1 is in use; choose another one, or 0 for any free port`,
    );
  });
});
