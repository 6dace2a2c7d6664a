import { parentPort, workerData } from "node:worker_threads";
import { createExchangeReader, type ReaderOptions } from "./exchange-reader.js";
import { playInThread } from "./what-if.js";
import type { WatchReport, WatchTask } from "./worker-reader.js";

const reader = createExchangeReader({ ...(workerData as ReaderOptions), startPlayer: playInThread });

/** Reads exchanges one after another, as they come; what other policies would have cost is found out beside that. */
parentPort?.on("message", (task: WatchTask) => {
  const { id } = task;
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port of a thread, not of a window
  const tell = (report: WatchReport): void => parentPort?.postMessage(report);
  if (task.kind === "read")
    void reader.read(task.exchange).then((record) => tell({ id, kind: "read", record }));
  else void reader.whatIf(task.milliseconds).then((figures) => tell({ id, kind: "what-if", figures }));
});
