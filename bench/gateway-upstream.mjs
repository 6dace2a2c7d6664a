/**
 * The upstream of bench/gateway-bench.mjs, in a process of its own: answers at once, in as many events as are asked for, each
 * with the time at which it was written; and says when a client has gone away.
 */
import { createServer } from "node:http";

/** One clock for all processes of this machine. */
const now = () => Number(process.hrtime.bigint()) / 1e6;
const server = createServer((incoming, outgoing) => {
  incoming.resume();
  incoming.on("end", async () => {
    const events = Number(incoming.headers["x-events"] ?? 0);
    const pause = Number(incoming.headers["x-pause"] ?? 0);
    if (events === 0) {
      outgoing.setHeader("content-type", "application/json");
      outgoing.end(
        '{"type":"message","model":"claude-haiku-4-5","usage":{"input_tokens":1,"output_tokens":1}}',
      );
      return;
    }
    outgoing.writeHead(200, { "content-type": "text/event-stream" });
    outgoing.once("close", () => process.send({ id: incoming.headers["x-id"], at: now() }));
    for (let event = 0; event < events && !outgoing.destroyed; event += 1) {
      outgoing.write(`event: content_block_delta\ndata: {"type":"content_block_delta","at":${now()}}\n\n`);
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
    outgoing.end();
  });
});
server.listen(0, "127.0.0.1", () => process.send({ kind: "listening", port: server.address().port }));
process.once("disconnect", () => process.exit(0));
