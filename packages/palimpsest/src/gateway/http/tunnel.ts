import { request as requestHttp, type ClientRequestArgs } from "node:http";
import { request as requestHttps } from "node:https";
import type { Duplex } from "node:stream";
import { connect as connectTls, type ConnectionOptions } from "node:tls";

type Callback = (error: Error | null, socket?: Duplex) => void;

/** Opens connections through a proxy by `CONNECT`, for an agent of Node's. */
export function createTunnel(
  proxy: URL,
  isSecure: boolean,
): (options: ClientRequestArgs & ConnectionOptions, callback: Callback) => undefined {
  const { protocol, hostname, port, username, password } = proxy;
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return (options, callback) => {
    const target = `${options.host ?? ""}:${options.port ?? ""}`;
    const request = (protocol === "https:" ? requestHttps : requestHttp)({
      hostname: hostname.replace(/^\[(.*)\]$/, "$1"),
      port: port === "" ? (protocol === "https:" ? 443 : 80) : Number(port),
      method: "CONNECT",
      path: target,
      agent: false,
      headers: {
        host: target,
        ...(login === ":" ? {} : { "proxy-authorization": `Basic ${Buffer.from(login).toString("base64")}` }),
      },
    });
    request.once("error", (error) => callback(error));
    request.once("connect", ({ statusCode }, socket) => {
      if (statusCode !== 200) {
        socket.destroy();
        callback(new Error(`the proxy answered ${statusCode}`));
        return;
      }
      if (!isSecure) {
        callback(null, socket);
        return;
      }
      const secure = connectTls({ ...options, socket, servername: options.servername ?? options.host ?? "" });
      secure.once("error", (error) => callback(error));
      secure.once("secureConnect", () => callback(null, secure));
    });
    request.end();
    return undefined;
  };
}
