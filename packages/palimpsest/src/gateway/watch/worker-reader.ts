import { Worker } from "node:worker_threads";
import type { ExchangeRecord } from "../receipt/exchange-record.js";
import type { WhatIfFigures } from "../receipt/what-if-figures.js";
import type { Exchange } from "./exchange.js";
import type { ReaderOptions } from "./exchange-reader.js";
import { endpointOf } from "./read-exchange.js";
import type { ExchangeReader } from "./watcher.js";

/** To the thread: an exchange to read, or the question what other policies would have cost. */
export type WatchTask =
  | { readonly id: number; readonly kind: "read"; readonly exchange: Exchange }
  | { readonly id: number; readonly kind: "what-if"; readonly milliseconds?: number };

/** From the thread. */
export type WatchReport =
  | { readonly id: number; readonly kind: "read"; readonly record: ExchangeRecord }
  | { readonly id: number; readonly kind: "what-if"; readonly figures: WhatIfFigures | undefined };

/** Somebody who waits for the thread. */
interface Waiting {
  readonly take: (report: WatchReport) => void;
  /** The thread is gone. */
  readonly lose: () => void;
}

/** What is remembered is bounded by far less: with this the thread collects its garbage in time. */
const MOST_MEMORY_MB = 1024;

/**
 * Reads in a thread of its own, so that no parsing and no collection of garbage holds up the path. A thread that dies takes
 * nothing with it but what it was given: those exchanges count as unread, and the next one starts another.
 */
export function createWorkerReader(options: ReaderOptions = {}): ExchangeReader {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let last = 0;
  let { conversationsBefore = 0, lanesBefore = 0 } = options;
  const start = (): Worker => {
    const started = new Worker(new URL("./watch-worker.js", import.meta.url), {
      workerData: { ...options, conversationsBefore, lanesBefore },
      resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB },
    });
    started.on("message", (report: WatchReport) => {
      const one = waiting.get(report.id);
      waiting.delete(report.id);
      const { isNew, isNewLane } = (report.kind === "read" ? report.record.conversation : undefined) ?? {};
      if (isNew === true) conversationsBefore += 1;
      if (isNewLane === true) lanesBefore += 1;
      one?.take(report);
      if (waiting.size === 0) started.unref();
    });
    started.on("error", () => {});
    started.once("exit", () => {
      worker = undefined;
      for (const { lose } of waiting.values()) lose();
      waiting.clear();
    });
    return started;
  };
  const ask = (task: WatchTask, one: Waiting, transfer: ArrayBuffer[] = []): void => {
    worker ??= start();
    worker.ref();
    waiting.set(task.id, one);
    worker.postMessage(task, transfer);
  };
  // Started now: the first exchange shall not wait for it.
  worker = start();
  worker.unref();
  return {
    read: (exchange) =>
      new Promise((resolve) => {
        last += 1;
        const head = { ...exchange, ...withoutBodies };
        const bodies = [exchange.requestBody, exchange.answerBody].flatMap((body) =>
          body === undefined ? [] : [body.buffer as ArrayBuffer],
        );
        ask(
          { id: last, kind: "read", exchange },
          {
            take: (report) => resolve(report.kind === "read" ? report.record : unreadRecord(head)),
            lose: () => resolve(unreadRecord(head)),
          },
          bodies,
        );
      }),
    whatIf: (milliseconds) =>
      new Promise((resolve) => {
        last += 1;
        ask(
          { id: last, kind: "what-if", ...(milliseconds === undefined ? {} : { milliseconds }) },
          {
            take: (report) => resolve(report.kind === "what-if" ? report.figures : undefined),
            lose: () => resolve(undefined),
          },
        );
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
