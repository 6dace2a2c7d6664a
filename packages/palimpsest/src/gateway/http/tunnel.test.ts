import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createUpstream, UpstreamError, type Upstream } from "./upstream.js";

const open: { close(): unknown }[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

async function listening(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  open.push({
    close() {
      server.closeAllConnections();
      server.close();
    },
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A proxy that notes who is asked for, and lets in who has the password. */
async function startProxy(password: string): Promise<{ readonly address: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const server = createServer();
  server.on("connect", ({ url = "", headers }, socket: Socket) => {
    asked.push(url);
    const expected = `Basic ${Buffer.from(`me:${password}`).toString("base64")}`;
    if (headers["proxy-authorization"] !== expected) {
      socket.end("HTTP/1.1 407 No\r\n\r\n");
      return;
    }
    const [host, port] = url.split(":");
    const onward = connect(Number(port), host, () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      onward.pipe(socket);
      socket.pipe(onward);
    });
    onward.on("error", () => socket.destroy());
    socket.on("error", () => onward.destroy());
  });
  return { address: await listening(server), asked };
}

const call = (upstream: Upstream): ReturnType<Upstream["call"]> => {
  open.push(upstream);
  return upstream.call({
    method: "GET",
    path: "/v1/models",
    headers: ["Host", "api.example", "X-Odd", "a"],
    body: undefined,
    signal: new AbortController().signal,
  });
};

describe("the way upstream through a person's proxy", () => {
  it("goes by CONNECT with the proxy's password, and headers stay what they are", async () => {
    const seen: string[][] = [];
    const api = await listening(
      createServer((incoming, outgoing) => {
        seen.push(incoming.rawHeaders);
        outgoing.end("there");
      }),
    );
    const { address, asked } = await startProxy("p@ss word");
    const upstream = createUpstream(new URL(`http://${api}`), `http://me:p%40ss%20word@${address}`);
    const answer = await call(upstream);
    answer.setEncoding("utf8");
    expect(await once(answer, "data")).toEqual(["there"]);
    expect(asked).toEqual([api]);
    expect(seen).toEqual([["Host", "api.example", "X-Odd", "a", "Connection", "keep-alive"]]);
  });

  it("a proxy that refuses was never a connection to the upstream", async () => {
    const { address } = await startProxy("right");
    const refused = call(createUpstream(new URL("http://127.0.0.1:1"), `http://me:wrong@${address}`));
    const error = await refused.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UpstreamError);
    expect(error).toMatchObject({ message: "the proxy answered 407", isReached: false });
  });
});
