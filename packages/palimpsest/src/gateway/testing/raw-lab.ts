import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { startProxy, type Proxy } from "../launch/start-proxy.js";
import { emptyReceipt } from "../receipt/receipt.js";
import { createExchangeReader } from "../watch/exchange-reader.js";

/** A connection of the gateway's to the upstream, and every byte that came. */
export interface RawConnection {
  readonly socket: Socket;
  got: string;
  /** How many requests of it were answered. */
  answered: number;
}

/** A gateway between bare sockets: what is written is what is sent. All texts are Latin-1. */
export interface RawLab {
  readonly proxy: Proxy;
  readonly upstreams: readonly RawConnection[];
  readonly connect: () => Client;
  close(): Promise<void>;
}

interface Client {
  readonly socket: Socket;
  readonly got: () => string;
  readonly isClosed: () => boolean;
  readonly write: (text: string) => void;
}

/** `onBytes` is told whenever something came to the upstream. */
export async function createRawLab(
  onBytes: (connection: RawConnection) => void,
  host = "127.0.0.1",
): Promise<RawLab> {
  const upstreams: RawConnection[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const connection: RawConnection = { socket, got: "", answered: 0 };
    upstreams.push(connection);
    sockets.add(socket);
    socket.on("error", () => {});
    socket.setEncoding("latin1").on("data", (text: string) => {
      connection.got += text;
      onBytes(connection);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const upstream = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const proxy = await startProxy(
    {
      upstream,
      upstreamOpenai: upstream,
      host,
      port: 0,
      mode: "observe",
      tokens: [],
      controlToken: "t",
      receipt: emptyReceipt(0),
    },
    { reader: createExchangeReader(), env: {} },
  );
  return {
    proxy,
    upstreams,
    connect() {
      const socket = connect(proxy.port, host);
      let text = "";
      let isClosed = false;
      sockets.add(socket);
      socket.on("error", () => {});
      socket.once("close", () => (isClosed = true));
      socket.setEncoding("latin1").on("data", (piece: string) => (text += piece));
      return {
        socket,
        got: () => text,
        isClosed: () => isClosed,
        write: (given) => void socket.write(given, "latin1"),
      };
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await proxy.close();
    },
  };
}

/** Answers every request whose head has come, once; the bodies are of no account. */
export const answering =
  (text: (request: number) => string) =>
  (connection: RawConnection): void => {
    const heads = connection.got.split("\r\n\r\n").length - 1;
    while (connection.answered < heads) {
      connection.answered += 1;
      connection.socket.write(text(connection.answered), "latin1");
    }
  };

export const answer = (body: string, headers = ""): string =>
  `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n${headers}\r\n${body}`;
