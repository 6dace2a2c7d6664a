import type { IncomingMessage } from "node:http";
import { once } from "node:events";
import { connect } from "node:net";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { startGatewayServer } from "./node-server.js";

it("an answer that breaks off before a client that reads slowly: every byte that came is delivered, and heard by who looks on", async () => {
  const pieces = Array.from({ length: 30 }, (_, at) => Buffer.alloc(500_000, 97 + (at % 26)));
  const whole = Buffer.concat(pieces);
  const answer = Object.assign(new Readable({ read: () => {}, highWaterMark: 2 * whole.length }), {
    rawTrailers: [],
  });
  const heard: Buffer[] = [];
  answer.on("data", (bytes: Buffer) => heard.push(bytes)).pause();
  const server = await startGatewayServer({
    gateway: () =>
      Promise.resolve({
        kind: "answer",
        status: 200,
        reason: "OK",
        headers: ["Content-Length", String(whole.length + 1)],
        body: answer as unknown as IncomingMessage,
      }),
  });
  try {
    const client = connect(server.port, "127.0.0.1");
    client.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await once(client, "readable");
    for (const piece of pieces) answer.push(piece);
    await sleep(50);
    // More than sockets hold is still here.
    expect(Buffer.concat(heard).length).toBeLessThan(whole.length);
    const closed = new Promise((resolve) => answer.once("close", resolve));
    answer.destroy(new Error("aborted"));
    await closed;
    const got: Buffer[] = [];
    client.on("data", (bytes) => got.push(bytes));
    await once(client, "close");
    const all = Buffer.concat(got);
    expect(all.subarray(all.indexOf("\r\n\r\n") + 4).equals(whole)).toBe(true);
    expect(Buffer.concat(heard).equals(whole)).toBe(true);
  } finally {
    await server.close();
  }
});
