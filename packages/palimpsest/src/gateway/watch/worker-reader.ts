import { Worker } from "node:worker_threads";
import type { ExchangeRecord } from "../receipt/exchange-record.js";
import type { Exchange } from "./exchange.js";
import type { ReaderOptions } from "./exchange-reader.js";
import { endpointOf } from "./read-exchange.js";
import type { ExchangeReader } from "./watcher.js";

/** To the thread: one exchange. */
export interface WatchTask {
  readonly id: number;
  readonly exchange: Exchange;
}

/** From the thread. */
export interface WatchReport {
  readonly id: number;
  readonly record: ExchangeRecord;
}

/**
 * Reads in a thread of its own, so that no parsing and no collection of garbage holds up the path. A thread that dies takes
 * nothing with it but what it was given: those exchanges count as unread, and the next one starts another.
 */
export function createWorkerReader(options: ReaderOptions = {}): ExchangeReader {
  const waiting = new Map<
    number,
    { readonly exchange: Exchange; readonly resolve: (record: ExchangeRecord) => void }
  >();
  let worker: Worker | undefined;
  let last = 0;
  const start = (): Worker => {
    const started = new Worker(new URL("./watch-worker.js", import.meta.url), { workerData: options });
    started.on("message", ({ id, record }: WatchReport) => {
      waiting.get(id)?.resolve(record);
      waiting.delete(id);
      if (waiting.size === 0) started.unref();
    });
    started.on("error", () => {});
    started.once("exit", () => {
      worker = undefined;
      for (const { exchange, resolve } of waiting.values()) resolve(unreadRecord(exchange));
      waiting.clear();
    });
    return started;
  };
  // Started now: the first exchange shall not wait for it.
  worker = start();
  worker.unref();
  return {
    read: (exchange) =>
      new Promise((resolve) => {
        worker ??= start();
        worker.ref();
        last += 1;
        waiting.set(last, { exchange: { ...exchange, ...withoutBodies }, resolve });
        const bodies = [exchange.requestBody, exchange.answerBody].flatMap((body) =>
          body === undefined ? [] : [body.buffer as ArrayBuffer],
        );
        worker.postMessage({ id: last, exchange } satisfies WatchTask, bodies);
      }),
    close: () => void worker?.terminate(),
  };
}

const withoutBodies = { requestBody: new Uint8Array(), answerBody: new Uint8Array() };

function unreadRecord(exchange: Exchange): ExchangeRecord {
  const { at, milliseconds, tenant, end, isIdentical, isSubscription, answer } = exchange;
  return {
    at,
    milliseconds,
    tenant,
    endpoint: endpointOf(exchange),
    end,
    isIdentical,
    isSubscription,
    ...(answer === undefined ? {} : { status: answer.status }),
    unread: "the thread that reads has ended",
  };
}
