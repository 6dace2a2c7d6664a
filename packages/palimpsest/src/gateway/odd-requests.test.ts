import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { answer, answering, createRawLab, type RawLab } from "./testing/raw-lab.js";

let lab: RawLab | undefined;
afterEach(async () => {
  await lab?.close();
  lab = undefined;
});

const start = async (...given: Parameters<typeof createRawLab>): Promise<RawLab> =>
  (lab = await createRawLab(...given));

const head = (line: string, ...headers: readonly string[]): string =>
  `${[`${line} HTTP/1.1`, "Host: localhost", ...headers].join("\r\n")}\r\n\r\n`;

/** What the client gets once it ends like this. */
async function got(client: ReturnType<RawLab["connect"]>, end: string): Promise<string> {
  await expect.poll(() => client.got()).toContain(end);
  return client.got();
}

describe("requests as no agent sends them, byte for byte on sockets", () => {
  it("several on one connection before the first is answered: each is answered, in their order", async () => {
    let held: (() => void) | undefined;
    const { connect, upstreams } = await start((connection) => {
      const reply = (): void =>
        answering(() => answer(/ \/(\w+)/.exec(connection.got)?.[1] ?? ""))(connection);
      if (connection.got.startsWith("GET /first")) held ??= reply;
      else reply();
    });
    const client = connect();
    client.write(head("GET /first") + head("GET /second") + head("GET /third"));
    await expect.poll(() => upstreams.length).toBe(3);
    await expect.poll(() => upstreams.filter(({ answered }) => answered > 0).length).toBe(2);
    expect(client.got()).toBe("");
    held?.();
    const bodies = (await got(client, "third")).match(/first|second|third/g);
    expect(bodies).toEqual(["first", "second", "third"]);
  });

  it("trailers of a request and of an answer", async () => {
    const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n";
    const { connect, upstreams } = await start(({ got: came, socket }) => {
      if (came.endsWith("X-Req: 1\r\n\r\n")) socket.write(`${chunked}3\r\nabc\r\n0\r\nX-Sum: v\r\n\r\n`);
    });
    const client = connect();
    const asked = head("POST /v1/messages", "Transfer-Encoding: chunked", "Trailer: X-Req");
    client.write(`${asked}5\r\nhello\r\n0\r\nX-Req: 1\r\n\r\n`);
    expect(await got(client, "X-Sum: v")).toContain("3\r\nabc\r\n0\r\nX-Sum: v\r\n\r\n");
    expect(upstreams[0]?.got).toContain("5\r\nhello\r\n0\r\nX-Req: 1\r\n\r\n");
  });

  it("three thousand headers, and one of 200 KB", async () => {
    const many = Array.from({ length: 3000 }, (_, at) => `X-${at}: ${at}\r\n`).join("");
    const { connect, upstreams } = await start(answering(() => answer("end", many)));
    const client = connect();
    const big = `X-Big: ${"x".repeat(200_000)}`;
    client.write(head("GET /v1/models", ...many.trimEnd().split("\r\n"), big));
    expect(await got(client, "\r\nend")).toContain(many);
    expect(upstreams[0]?.got).toContain(many + big);
  });

  it("what is expected, whatever it is, is for the upstream to answer", async () => {
    const { connect, upstreams } = await start(
      answering(() => "HTTP/1.1 417 Not That\r\nContent-Length: 2\r\n\r\nno"),
    );
    const client = connect();
    client.write(`${head("POST /v1/messages", "Expect: the impossible", "Content-Length: 5")}hello`);
    expect(await got(client, "\r\n\r\nno")).toMatch(/^HTTP\/1\.1 417 Not That\r\n/);
    expect(upstreams[0]?.got).toContain("Expect: the impossible\r\n");
  });

  it("an answer before the end of the body: the rest of it goes on upstream", async () => {
    const { connect, upstreams } = await start(answering((number) => answer(`answer ${number}`)));
    const client = connect();
    client.write(`${head("POST /v1/messages", "Content-Length: 20")}the begin`);
    await got(client, "answer 1");
    client.write("ning ends.\n");
    client.write(head("GET /next"));
    await got(client, "answer");
    await expect.poll(() => upstreams.map(({ got: came }) => came).join("")).toContain("GET /next");
    expect(upstreams[0]?.got).toContain("the beginning ends.\n");
  });

  it("an upstream that refuses and hangs up in the middle of a body: the client can send it to the end, and go on", async () => {
    const { connect, upstreams } = await start(({ got: came, socket }) => {
      if (came.startsWith("GET ")) socket.write(answer("next"));
      else socket.end("HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbig");
    });
    const client = connect();
    const length = 8_000_000;
    client.write(head("POST /v1/messages", `Content-Length: ${length}`));
    await got(client, "\r\n\r\nbig");
    client.write("x".repeat(length));
    client.write(head("GET /next"));
    expect(await got(client, "\r\n\r\nnext")).toMatch(/^HTTP\/1\.1 413 Too Large\r\n/);
    expect(upstreams).toHaveLength(2);
  });

  it.each([
    ["HEAD /api/hello", "", "HTTP/1.1 200 OK\r\nContent-Length: 77\r\nX-End: 1\r\n\r\n", "X-End: 1"],
    ["OPTIONS /v1/messages", "", answer("{}"), "{}"],
    ["GET /v1/models", "hello", answer("{}"), "{}"],
    ["DELETE /v1/files/1", "hello", "HTTP/1.1 204 No Content\r\nX-End: 1\r\n\r\n", "X-End: 1"],
    ["QUERY /v1/search?q=%zz", "hello", answer("{}"), "{}"],
  ])("%s with the body %j", async (line, body, answered, end) => {
    const { connect, upstreams } = await start(answering(() => answered));
    const client = connect();
    client.write(head(line, ...(body === "" ? [] : [`Content-Length: ${body.length}`])) + body);
    await got(client, end);
    const [first = ""] = answered.split("\r\n");
    expect(client.got().startsWith(first)).toBe(true);
    await expect.poll(() => upstreams[0]?.got.endsWith(`\r\n\r\n${body}`)).toBe(true);
    expect(upstreams[0]?.got.startsWith(`${line} HTTP/1.1\r\n`)).toBe(true);
  });

  it("a client that sends letter by letter", async () => {
    const { connect, upstreams } = await start(({ got: came, socket }) => {
      if (came.endsWith("hello")) socket.write(answer("heard"));
    });
    const client = connect();
    for (const letter of `${head("POST /v1/messages", "Content-Length: 5")}hello`) {
      client.write(letter);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await got(client, "heard");
    expect(upstreams[0]?.got).toMatch(/^POST \/v1\/messages HTTP\/1\.1\r\n/);
  });

  it.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ])("a body in %s goes as it is, in chunks too, and is read all the same", async (encoding, compress) => {
    const usage =
      '{"type":"message","model":"claude-haiku-4-5","usage":{"input_tokens":7,"output_tokens":1}}';
    const { connect, upstreams, proxy } = await start(({ got: came, socket, answered }) => {
      if (answered === 0 && came.endsWith("\r\n0\r\n\r\n"))
        socket.write(answer(usage, "Content-Type: application/json\r\n"));
    });
    const body = compress(
      Buffer.from('{"model":"claude-haiku-4-5","messages":[{"role":"user","content":"hi"}]}'),
    ).toString("latin1");
    const client = connect();
    const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    client.write(
      head("POST /v1/messages", `Content-Encoding: ${encoding}`, "Transfer-Encoding: chunked") + chunk,
    );
    await got(client, usage);
    expect(upstreams[0]?.got).toContain(chunk);
    await proxy.settled();
    expect(proxy.document()).toMatchObject({ conversations: 1, usage: { input: 7 }, unread: {} });
  });

  it("an encoding that is not known goes as it is too, and only the conversation is not known", async () => {
    const usage =
      '{"type":"message","model":"claude-haiku-4-5","usage":{"input_tokens":7,"output_tokens":1}}';
    const { connect, proxy, upstreams } = await start(answering(() => answer(usage)));
    const client = connect();
    client.write(
      `${head("POST /v1/messages", "Content-Encoding: zstd", "Content-Length: 4")}\u0028\u00b5\u002f\u00fd`,
    );
    await got(client, usage);
    expect(upstreams[0]?.got.endsWith("\u0028\u00b5\u002f\u00fd")).toBe(true);
    await proxy.settled();
    expect(proxy.document()).toMatchObject({ conversations: 0, usage: { input: 7 } });
  });

  it("an answer without any length ends with its connection, and comes to its end", async () => {
    const { connect } = await start(({ socket }) => socket.end("HTTP/1.1 200 OK\r\n\r\nuntil close"));
    const client = connect();
    client.write(head("GET /v1/models"));
    expect(await got(client, "0\r\n\r\n")).toContain("\r\nb\r\nuntil close\r\n0\r\n\r\n");
  });

  it("an answer that is no HTTP is a connection that breaks off", async () => {
    const { connect, proxy } = await start(({ socket }) => socket.end("nonsense\r\n\r\n"));
    const client = connect();
    client.write(head("GET /v1/models"));
    await expect.poll(() => client.isClosed()).toBe(true);
    expect(client.got()).toBe("");
    await proxy.settled();
    expect(proxy.document().errorTypes).toEqual({ "cut off by the upstream": 1 });
  });

  it("two lengths, or a length and chunks, go nowhere: nobody hides a request in another one", async () => {
    const { connect, upstreams } = await start(answering(() => answer("{}")));
    for (const headers of [
      ["Content-Length: 3", "Transfer-Encoding: chunked"],
      ["Content-Length: 3", "Content-Length: 4"],
    ]) {
      const client = connect();
      client.write(`${head("POST /v1/messages", ...headers)}0\r\n\r\n`);
      await got(client, "HTTP/1.1 400 Bad Request");
      await expect.poll(() => client.isClosed()).toBe(true);
    }
    expect(upstreams).toEqual([]);
  });

  it("by IPv6 on this machine", async () => {
    const { connect, proxy, upstreams } = await start(
      answering(() => answer("six")),
      "::1",
    );
    const client = connect();
    client.write(`GET /v1/models HTTP/1.1\r\nHost: [::1]:${proxy.port}\r\n\r\n`);
    await got(client, "six");
    expect(upstreams).toHaveLength(1);
  });
});
