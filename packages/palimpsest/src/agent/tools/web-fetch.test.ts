import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { createMemoryReadState } from "@palimpsest/core/restore";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSpill } from "./spill.js";
import type { ToolContext } from "../base/tool.js";
import { createWebFetchTool, type WebFetchOptions } from "./web-fetch.js";

const directory = mkdtempSync(join(tmpdir(), "palimpsest-web-"));
const pages: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
  "/html": (_request, response) => {
    response.setHeader("content-type", "text/html; charset=iso-8859-1");
    response.end(Buffer.from("<title>T</title><h1>Gr\u00fc\u00dfe</h1><a href=next>n</a>", "latin1"));
  },
  "/json": (_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end('{"a": 1}');
  },
  "/gzip": (_request, response) => {
    response.writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" });
    response.end(gzipSync("packed"));
  },
  "/bomb": (_request, response) => {
    response.writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" });
    response.end(gzipSync("x".repeat(5_000_000)));
  },
  "/binary": (_request, response) => {
    response.setHeader("content-type", "image/png");
    response.end("\u0000\u0001");
  },
  "/missing": (_request, response) => {
    response.writeHead(404, { "content-type": "text/html" });
    response.end("<p>not here</p>");
  },
  "/long": (_request, response) => {
    response.setHeader("content-type", "text/plain");
    response.end("long line\n".repeat(10_000));
  },
  "/endless": (_request, response) => {
    response.setHeader("content-type", "text/plain");
    const more = (): void => void (response.destroyed || response.write("y".repeat(60_000), more));
    more();
  },
  "/hang": () => {},
  "/hang-body": (_request, response) => {
    response.writeHead(200, { "content-type": "text/plain" });
    response.write("begun");
  },
  "/cut": (_request, response) => {
    response.writeHead(200, { "content-type": "text/plain", "content-length": "100" });
    response.write("begun");
    setTimeout(() => response.destroy(), 20);
  },
  "/loop": (_request, response) => response.writeHead(302, { location: "/loop" }).end(),
  "/once": (_request, response) => response.writeHead(301, { location: "/json" }).end(),
  "/away": (_request, response) =>
    response.writeHead(302, { location: "http://169.254.169.254/latest" }).end(),
  "/file": (_request, response) => response.writeHead(302, { location: "file:///etc/passwd" }).end(),
  "/nowhere": (_request, response) => response.writeHead(302, { location: "http://[" }).end(),
};
const hits: string[] = [];
const server = createServer((request, response) => {
  hits.push(request.url ?? "");
  const page = pages[request.url ?? ""];
  if (page === undefined) response.writeHead(500).end();
  else page(request, response);
});
let origin = "";
let port = 0;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
  origin = `http://127.0.0.1:${port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(directory, { recursive: true, force: true });
});

const context = (signal = new AbortController().signal): ToolContext => ({
  toolUseId: "toolu_1",
  signal,
  now: () => 0,
  readState: createMemoryReadState(),
  touch: () => {},
});
const fetcher = (more: Partial<WebFetchOptions> = {}) => {
  const tool = createWebFetchTool({ spill: createSpill({ directory }), allowPrivate: true, ...more });
  return (url: string, prompt?: string, ctx = context()) =>
    tool.run({ url, ...(prompt === undefined ? {} : { prompt }) }, ctx);
};

describe("a page that is there", () => {
  it("comes as text, in the encoding that it says", async () => {
    expect((await fetcher()(`${origin}/html`)).content).toBe(
      `Page: ${origin}/html\n\nT\n\n# Grüße\n\n[n](${origin}/next)`,
    );
    expect((await fetcher()(`${origin}/json`)).content).toContain('{"a": 1}');
    expect((await fetcher()(`${origin}/gzip`)).content).toContain("packed");
  });

  it("goes into a file when it is long, and is cut when it has no end", async () => {
    const { content } = await fetcher()(`${origin}/long`);
    expect(content).toContain(join(directory, "web-toolu_1.txt"));
    expect(readFileSync(join(directory, "web-toolu_1.txt"), "utf8")).toBe("long line\n".repeat(10_000));
    for (const path of ["/endless", "/bomb"]) {
      const cut = await fetcher({ maxBytes: 100_000 })(`${origin}${path}`);
      expect(cut.content).toContain("only its beginning was read");
      expect(cut.content).toContain("100,000 characters");
    }
  });

  it("answers a question where somebody can read it", async () => {
    const answer: WebFetchOptions["answer"] = async ({ prompt, text }) => `${prompt}: ${text.length}`;
    expect((await fetcher({ answer })(`${origin}/json`, "how long")).content).toContain("how long: 8");
    expect((await fetcher({ answer })(`${origin}/json`)).content).toContain('{"a": 1}');
    expect((await fetcher()(`${origin}/json`, "how long")).content).toContain('{"a": 1}');
  });
});

describe("a page that cannot be shown", () => {
  it.each([
    ["/binary", /not text \(image\/png, 2 bytes\)/],
    ["/missing", /status 404\.\n\nnot here/],
    ["/cut", /could not be fetched/],
    ["/loop", /more than 5 times/],
    ["/file", /./],
    ["/nowhere", /not an address/],
  ])("%s says why", async (path, reason) => {
    const { content, isError } = await fetcher()(`${origin}${path}`);
    expect(content).toMatch(reason);
    expect(path === "/file" || isError === true).toBe(true);
    expect(content).not.toContain("root:");
  });

  it.each([
    "nonsense",
    "ftp://example.com/",
    "file:///etc/passwd",
    "http://user:pass@example.com/",
    `https://${"x".repeat(3000)}`,
  ])("%s is refused", async (url) => expect(await fetcher()(url)).toMatchObject({ isError: true }));

  it("is given up after its time, or when the person stops it", async () => {
    const impatient = fetcher({ timeoutMs: 100 });
    for (const path of ["/hang", "/hang-body"]) {
      expect((await impatient(`${origin}${path}`)).content).toContain("0.1 seconds");
      const controller = new AbortController();
      setTimeout(() => controller.abort(), 50);
      const stopped = await fetcher()(`${origin}${path}`, undefined, context(controller.signal));
      expect(stopped.content).toContain("Interrupted");
    }
    const never: WebFetchOptions["resolveHost"] = () => new Promise(() => {});
    const unresolved = await fetcher({ timeoutMs: 50, resolveHost: never })("http://slow.example/");
    expect(unresolved.content).toContain("seconds");
  });
});

describe("what is not the public internet", () => {
  it.each([
    "http://127.0.0.1",
    "http://2130706433",
    "http://0x7f.1",
    "http://0177.0.0.1",
    "http://[::1]",
    "http://[::ffff:127.0.0.1]",
    "http://0",
    "http://169.254.169.254/latest/meta-data",
    "http://localhost",
    "http://10.0.0.1",
  ])("%s is never asked", async (start) => {
    const url = new URL(start);
    url.port = String(port);
    const before = hits.length;
    const answer = await fetcher({ allowPrivate: false })(url.href);
    expect(answer).toMatchObject({ isError: true });
    expect(answer.content).toContain("not fetched");
    expect(hits.length).toBe(before);
  });

  it("is not reached by a name either, not even behind a public address", async () => {
    const resolveHost: WebFetchOptions["resolveHost"] = async () => [
      { address: "93.184.216.34", family: 4 },
      { address: "127.0.0.1", family: 4 },
    ];
    const before = hits.length;
    const answer = await fetcher({ allowPrivate: false, resolveHost })(`http://rebind.example:${port}/json`);
    expect(answer.content).toContain("not fetched");
    expect(hits.length).toBe(before);
  });

  it("a connection goes to the address that was judged, and the name is resolved once", async () => {
    let asked = 0;
    const resolveHost: WebFetchOptions["resolveHost"] = async () => {
      asked++;
      return [{ address: asked === 1 ? "127.0.0.1" : "192.0.2.1", family: 4 }];
    };
    const { content } = await fetcher({ resolveHost })(`http://pinned.example:${port}/json`);
    expect(content).toContain('{"a": 1}');
    expect(asked).toBe(1);
  });

  it("a redirect is judged again: the name may lead elsewhere by then", async () => {
    let asked = 0;
    const resolveHost: WebFetchOptions["resolveHost"] = async () => {
      asked++;
      if (asked === 2) throw new Error("ENOTFOUND");
      return [{ address: "127.0.0.1", family: 4 }];
    };
    const { content } = await fetcher({ resolveHost })(`http://turning.example:${port}/once`);
    expect(content).toBe("There is no host turning.example.");
    expect((await fetcher()(`${origin}/once`)).content).toContain('{"a": 1}');
  });

  it("a redirect to another host is only told", async () => {
    const { content } = await fetcher()(`${origin}/away`);
    expect(content).toContain("redirects to another host");
    expect(content).toContain("http://169.254.169.254/latest");
  });
});
