import { createServer, type IncomingMessage } from "node:http";
import { connect, type AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { thrownFailure } from "./failures.js";
import { createProviderFetch } from "./provider-fetch.js";
import { proxyFor } from "./proxy-for.js";

const PROXY = "http://proxy.example:8080";
const env = (no_proxy: string) => ({ https_proxy: PROXY, no_proxy });

describe("proxyFor", () => {
  it("goes by the protocol of the address, and small letters go first", () => {
    const both = { HTTP_PROXY: "http://plain:1", HTTPS_PROXY: "http://secure:1" };
    expect(proxyFor("http://api.test", both)).toBe("http://plain:1");
    expect(proxyFor("https://api.test", both)).toBe("http://secure:1");
    expect(proxyFor("https://api.test", { ...both, https_proxy: PROXY })).toBe(PROXY);
    expect(proxyFor("https://api.test", { HTTP_PROXY: PROXY })).toBeUndefined();
    expect(proxyFor("https://api.test", { HTTPS_PROXY: " " })).toBeUndefined();
    expect(proxyFor("https://api.test", { HTTPS_PROXY: "proxy.example:8080" })).toBe(PROXY);
  });

  it.each([
    ["*", true],
    ["api.test", true],
    ["API.TEST", true],
    [".api.test", true],
    ["*.test", true],
    ["other, test", true],
    ["other test", true],
    ["api.test:443", true],
    ["api.test:444", false],
    ["pi.test", false],
    ["api.test.example", false],
    ["", false],
    [",", false],
    [":443", false],
    [".", false],
  ])("NO_PROXY=%j names api.test: %s", (list, isNamed) => {
    expect(proxyFor("https://api.test", env(list))).toBe(isNamed ? undefined : PROXY);
  });

  it("knows IPv6 addresses with and without brackets", () => {
    expect(proxyFor("https://[2001:db8::1]/x", env("2001:db8::1"))).toBeUndefined();
    expect(proxyFor("https://[2001:db8::1]/x", env("[2001:db8::1]:443"))).toBeUndefined();
    expect(proxyFor("https://[2001:db8::1]/x", env("2001:db8::2"))).toBe(PROXY);
  });

  it("says which variable is wrong, and never its value", () => {
    for (const bad of ["socks5://secret-word:1", "http://", "http://a b"]) {
      expect(() => proxyFor("https://api.test", { HTTPS_PROXY: bad })).toThrow(/^the variable HTTPS_PROXY/);
      expect(() => proxyFor("https://api.test", { HTTPS_PROXY: bad })).not.toThrow("secret-word");
    }
  });

  it("excepts exactly the hosts below the domains of the list", () => {
    const label = fc.stringMatching(/^[a-z]{1,3}$/);
    const domain = fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => labels.join("."));
    fc.assert(
      fc.property(domain, fc.array(domain, { maxLength: 4 }), (host, list) => {
        const isBelow = list.some((one) => `.${host}`.endsWith(`.${one}`));
        expect(proxyFor(`https://${host}`, env(list.join(",")))).toBe(isBelow ? undefined : PROXY);
      }),
      { numRuns: 1000 },
    );
  });
});

const closers: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function listen(server: ReturnType<typeof createServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

describe("createProviderFetch", () => {
  it("asks a server on this machine directly, whatever the variables say", async () => {
    const port = await listen(createServer((_, response) => response.end("direct")));
    for (const host of ["127.0.0.1", "localhost"]) {
      const address = `http://${host}:${port}`;
      const send = await createProviderFetch(address, { HTTP_PROXY: "http://127.0.0.1:1" });
      expect(await (await send(address)).text()).toBe("direct");
    }
  });

  it("gives whole answers through a proxy, and is called off with its signal", async () => {
    const target = await listen(
      createServer((request, response) => {
        response.write("first ");
        if (request.url === "/whole") response.end("last");
      }),
    );
    const proxy = createServer();
    proxy.on("connect", (_: IncomingMessage, client: Duplex) => {
      const upstream = connect(target, "127.0.0.1", () => {
        client.write("HTTP/1.1 200 OK\r\n\r\n");
        upstream.pipe(client).pipe(upstream);
      });
      for (const socket of [client, upstream]) socket.on("error", () => upstream.destroy());
      closers.push(() => upstream.destroy());
    });
    const variables = { HTTP_PROXY: `127.0.0.1:${await listen(proxy)}` };
    const send = await createProviderFetch("http://api.invalid", variables);
    expect(await (await send("http://api.invalid/whole")).text()).toBe("first last");
    const stop = new AbortController();
    const slow = await send("http://api.invalid/slow", { signal: stop.signal });
    const text = slow.text();
    stop.abort();
    await expect(text).rejects.toThrow(/abort/i);
  });

  it.each([
    ["that refuses", true, "the proxy did not let the call through"],
    ["that is not there", false, "the proxy cannot be reached"],
  ])("says so of a proxy %s", async (_, isThere, sentence) => {
    const proxy = createServer();
    proxy.on("connect", (_request: IncomingMessage, client: Duplex) =>
      client.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"),
    );
    const port = await listen(proxy);
    if (!isThere) closers.splice(0).forEach((close) => close());
    const send = await createProviderFetch("https://api.invalid", { HTTPS_PROXY: `127.0.0.1:${port}` });
    const error = await send("https://api.invalid").catch((thrown: unknown) => thrown);
    expect(thrownFailure(error, "https://api.invalid")).toMatchObject({
      kind: "connection",
      message: expect.stringContaining(sentence),
      isUnsent: true,
    });
  });
});
