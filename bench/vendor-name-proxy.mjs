/**
 * A proxy for `CONNECT` that answers under a vendor's own name: it ends TLS with a throw-away authority of its own and passes
 * what it reads on to a server on this machine. So an agent can be watched that believes to speak with the vendor.
 * Nothing leaves this machine: whatever other host is asked for is refused, and counted.
 */
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { createServer, request as requestHttp } from "node:http";
import { join } from "node:path";
import { createSecureContext, TLSSocket } from "node:tls";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Makes an authority and a certificate for a host with the `openssl` of this machine. */
async function makeCertificates(folder, host) {
  const file = (name) => join(folder, name);
  const key = (name) => run("openssl", ["genrsa", "-out", file(name), "2048"]);
  await Promise.all([key("authority.key"), key("host.key")]);
  const subject = ["-subj", "/CN=throw-away authority"];
  await run("openssl", [
    ..."req -x509 -new -days 1 -key".split(" "),
    file("authority.key"),
    ...subject,
    "-out",
    file("authority.pem"),
  ]);
  await run("openssl", [
    "req",
    "-new",
    "-key",
    file("host.key"),
    "-subj",
    `/CN=${host}`,
    "-out",
    file("host.csr"),
  ]);
  await writeFile(file("host.ext"), `subjectAltName=DNS:${host}\nextendedKeyUsage=serverAuth\n`);
  await run("openssl", [
    ..."x509 -req -days 1 -CAcreateserial -in".split(" "),
    file("host.csr"),
    "-CA",
    file("authority.pem"),
    "-CAkey",
    file("authority.key"),
    "-extfile",
    file("host.ext"),
    "-out",
    file("host.pem"),
  ]);
  return {
    authority: file("authority.pem"),
    context: createSecureContext({
      key: await readFile(file("host.key")),
      cert: await readFile(file("host.pem")),
    }),
  };
}

/** `target` is the address of a server on this machine that stands for `host`. */
export async function startVendorNameProxy({ folder, host, target }) {
  const { authority, context } = await makeCertificates(folder, host);
  const requests = [];
  const refused = [];
  const { hostname, port } = new URL(target);
  const inner = createServer((incoming, outgoing) => {
    const parts = [];
    incoming.on("data", (part) => parts.push(part));
    incoming.on("end", () => {
      const body = Buffer.concat(parts);
      requests.push({
        method: incoming.method,
        path: incoming.url,
        headers: incoming.rawHeaders,
        body: body.toString(),
      });
      // Private scopes of the cache, and the line of attribution that is another in every request: the vendor takes both out
      // before it reads the prompt; the server that stands for it would refuse the one and cache the other.
      const told = Buffer.from(
        body
          .toString()
          .replaceAll(/,"scope":"[a-z]+"/g, "")
          .replace(/(x-anthropic-billing-header: [^";]*;)[^"]*/, "$1"),
      );
      const { method, url: path } = incoming;
      const headers = { ...incoming.headers };
      if (told.length !== body.length) headers["content-length"] = String(told.length);
      const onward = requestHttp({
        hostname,
        port,
        method,
        path,
        headers: { ...headers, host: `${hostname}:${port}` },
      });
      onward.on("error", () => outgoing.destroy());
      onward.on("response", (answer) => {
        outgoing.writeHead(answer.statusCode, answer.rawHeaders);
        answer.pipe(outgoing);
      });
      onward.end(told);
    });
  });
  const outer = createServer((_, outgoing) => outgoing.writeHead(403).end());
  outer.on("connect", ({ url }, socket) => {
    socket.on("error", () => {});
    if (url !== `${host}:443`) {
      refused.push(url);
      socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
      return;
    }
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    const secure = new TLSSocket(socket, { isServer: true, secureContext: context });
    secure.on("error", () => {});
    inner.emit("connection", secure);
  });
  await new Promise((resolve) => outer.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${outer.address().port}`,
    authority,
    /** What was sent under the vendor's name since this was asked last. */
    take: () => requests.splice(0),
    refused,
    close() {
      outer.closeAllConnections();
      outer.close();
    },
  };
}
