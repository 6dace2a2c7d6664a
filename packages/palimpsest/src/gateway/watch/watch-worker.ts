import { parentPort, workerData } from "node:worker_threads";
import { createExchangeReader, type ReaderOptions } from "./exchange-reader.js";
import type { WatchReport, WatchTask } from "./worker-reader.js";

const reader = createExchangeReader(workerData as ReaderOptions);

/** Reads exchanges one after another, as they come. */
parentPort?.on("message", ({ id, exchange }: WatchTask) => {
  void reader.read(exchange).then((record) => {
    const report: WatchReport = { id, record };
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port of a thread, not of a window
    parentPort?.postMessage(report);
  });
});
