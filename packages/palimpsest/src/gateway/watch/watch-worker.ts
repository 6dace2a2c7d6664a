import { parentPort } from "node:worker_threads";
import { readExchange } from "./read-exchange.js";
import type { WatchReport, WatchTask } from "./worker-reader.js";

/** Reads exchanges one after another, as they come. */
parentPort?.on("message", ({ id, exchange }: WatchTask) => {
  const report: WatchReport = { id, record: readExchange(exchange) };
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port of a thread, not of a window
  parentPort?.postMessage(report);
});
