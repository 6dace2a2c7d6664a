import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { ListenError } from "./listen-error.js";
import { startSimulatorServer, type SimulatorServer } from "./node-server.js";

let server: SimulatorServer | undefined;
afterEach(() => server?.close());

const start = async (app: (request: Request) => Promise<Response>): Promise<SimulatorServer> => {
  server = await startSimulatorServer({ app });
  return server;
};

const streamOf = (
  pull: (controller: ReadableStreamDefaultController<Uint8Array>, number: number) => void,
) => {
  let number = 0;
  return new ReadableStream<Uint8Array>({ pull: (controller) => pull(controller, (number += 1)) });
};

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Everything that a raw HTTP request gets back until the connection ends. */
async function raw(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let received = "";
  socket.on("data", (chunk: Buffer) => (received += chunk.toString()));
  socket.on("error", () => {});
  socket.write(text);
  await once(socket, "close");
  return received;
}

describe("startSimulatorServer", () => {
  it("serves the app, with its headers, and leaves the globals of the process alone", async () => {
    const globals = [globalThis.Request, globalThis.Response];
    const { url, port } = await start(async (request) =>
      Response.json({ echo: await request.text() }, { status: 201, headers: { "x-one": "1" } }),
    );
    expect(url).toBe(`http://127.0.0.1:${port}`);
    const response = await fetch(url, { method: "POST", body: "hello" });
    expect([response.status, response.headers.get("x-one"), await response.json()]).toEqual([
      201,
      "1",
      { echo: "hello" },
    ]);
    expect([globalThis.Request, globalThis.Response]).toEqual(globals);
  });

  it("a body that fails destroys the socket, and what came before it arrives", async () => {
    const { port } = await start(
      async () =>
        new Response(
          streamOf((controller, number) => {
            if (number < 3) controller.enqueue(bytes(`part-${number};`));
            else controller.error(new Error("cut"));
          }),
        ),
    );
    const received = await raw(port, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    expect(received).toContain("part-1;");
    expect(received).toContain("part-2;");
    // A chunked body that ended well would end with an empty chunk.
    expect(received).not.toMatch(/\r\n0\r\n\r\n$/);
  });

  it("a network error closes the connection without a byte", async () => {
    const { port, url } = await start(async () => Response.error());
    expect(await raw(port, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")).toBe("");
    await expect(fetch(url)).rejects.toThrow("fetch failed");
  });

  it("a client that leaves cancels the body and aborts the request", async () => {
    const events: string[] = [];
    const { url } = await start(async (request) => {
      request.signal.addEventListener("abort", () => events.push("aborted"));
      return new Response(
        new ReadableStream<Uint8Array>({
          start: (controller) => controller.enqueue(bytes("first")),
          cancel: () => void events.push("cancelled"),
        }),
      );
    });
    const client = new AbortController();
    const response = await fetch(url, { signal: client.signal });
    await response.body?.getReader().read();
    client.abort();
    for (let wait = 0; wait < 6000 && events.length < 2; wait += 1) await sleep(10);
    expect(events.toSorted()).toEqual(["aborted", "cancelled"]);
  });

  it("a slow reader slows the body down instead of filling the memory", async () => {
    let made = 0;
    const { port } = await start(
      async () =>
        new Response(
          streamOf((controller) => {
            made += 65_536;
            controller.enqueue(new Uint8Array(65_536));
          }),
        ),
    );
    const socket = connect(port, "127.0.0.1");
    socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    socket.pause();
    // Until the pipes between them are full; without that, for ever.
    for (let before = -1; made !== before; await sleep(300)) before = made;
    expect(made).toBeGreaterThan(0);
    socket.destroy();
  });

  it("a port in use is one clear sentence", async () => {
    const { port, ...first } = await start(async () => new Response());
    await expect(startSimulatorServer({ app: async () => new Response(), port })).rejects.toThrow(
      `port ${port} of 127.0.0.1 is in use; choose another one, or 0 for any free port`,
    );
    await expect(startSimulatorServer({ app: async () => new Response(), port })).rejects.toBeInstanceOf(
      ListenError,
    );
    await first.close();
    await (await startSimulatorServer({ app: async () => new Response(), port })).close();
  });

  it("an address of another machine is one clear sentence", async () => {
    await expect(
      startSimulatorServer({ app: async () => new Response(), host: "192.0.2.1" }),
    ).rejects.toThrow("192.0.2.1 is not an address of this machine");
  });

  it("close drops open connections and streams", async () => {
    const started = await start(
      async () =>
        new Response(streamOf((controller, number) => number === 1 && controller.enqueue(bytes("first")))),
    );
    const response = await fetch(started.url);
    const reader = response.body?.getReader();
    await reader?.read();
    const rest = reader?.read();
    await Promise.all([started.close(), expect(rest).rejects.toThrow()]);
    await expect(fetch(started.url)).rejects.toThrow();
  });

  it.each([
    ["an impossible host", "GET / HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n", "400"],
    ["no HTTP at all", "nonsense\r\n\r\n", "400"],
  ])("%s is answered", async (_, text, status) => {
    const { port } = await start(async () => new Response("reached"));
    expect(await raw(port, text)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });
});
