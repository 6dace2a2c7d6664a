import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface SummaryProxy {
  readonly url: string;
  /** Requests for summaries so far. */
  readonly summaries: readonly unknown[];
  readonly close: () => void;
}

/** Stands before a simulator; `refuse` may answer requests for summaries in its place, counted from 1. */
export async function startSummaryProxy(
  url: string,
  refuse: (response: ServerResponse, count: number) => boolean,
): Promise<SummaryProxy> {
  const summaries: unknown[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const body = await text(request);
      if (body.slice(-20_000).includes("<analysis> element followed by one")) {
        summaries.push(JSON.parse(body));
        if (refuse(response, summaries.length)) return;
      }
      const headers = Object.entries(request.headers).flatMap(([name, value]) =>
        typeof value === "string" && !["host", "connection", "content-length"].includes(name)
          ? [[name, value] as [string, string]]
          : [],
      );
      const answer = await fetch(`${url}${request.url ?? ""}`, { method: "POST", headers, body });
      response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
      response.end(Buffer.from(await answer.arrayBuffer()));
    })();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, summaries, close: () => void server.close() };
}

/** Says no, as the API does. */
export function refuseWith(
  response: ServerResponse,
  {
    status,
    type,
    headers = {},
  }: { status: number; type: string; headers?: Readonly<Record<string, string>> },
): true {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify({ type: "error", error: { type, message: "not now" } }));
  return true;
}
