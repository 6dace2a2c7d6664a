import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import type { ExchangeEnd, ExchangeRecord } from "../receipt/exchange-record.js";
import type { WhatIfFigures } from "../receipt/what-if-figures.js";
import type { AnswerHead, Exchange, ExchangeHead } from "./exchange.js";

/** Reads exchanges that are over. Never rejects. */
export interface ExchangeReader {
  read(exchange: Exchange): Promise<ExchangeRecord>;
  /**
   * What other policies would have cost on what was read so far; undefined where nobody knows. After `milliseconds`, where they
   * are given, no further conversation is played.
   */
  whatIf(milliseconds?: number): Promise<WhatIfFigures | undefined>;
  close(): void;
}

/** What the path tells of one exchange as it goes on. Nothing here waits, copies or throws. */
export interface ExchangeWatch {
  request(bytes: Uint8Array): void;
  answer(head: AnswerHead): void;
  answered(bytes: Uint8Array): void;
  end(how: ExchangeEnd, isIdentical: boolean): void;
}

export interface Watcher {
  /** A request that is passed on and not looked at. */
  pass(): void;
  begin(head: ExchangeHead): ExchangeWatch;
  /** Resolves once every exchange that is over was read. */
  settled(): Promise<void>;
  /** Resolves once every exchange is over, and was read: for who has dropped all connections. */
  ended(): Promise<void>;
}

export interface WatcherOptions {
  readonly reader: ExchangeReader;
  readonly now: () => number;
  readonly onPass: () => void;
  readonly onBegin?: () => void;
  readonly onRecord: (record: ExchangeRecord) => void;
  readonly mostWaiting?: number;
}

/** More of a body is passed on, and not kept. The API takes 32 MB. */
const MOST_KEPT = 40 * 1024 * 1024;
/** So much may wait to be read. Of what comes beyond it the request is dropped: what was used says the answer. */
const MOST_WAITING = 128 * 1024 * 1024;

/** Keeps what the path hands over, without copying it, until an exchange is over; then it is read. */
export function createWatcher({
  reader,
  now,
  onPass,
  onBegin,
  onRecord,
  mostWaiting = MOST_WAITING,
}: WatcherOptions): Watcher {
  const open = new Set<Promise<void>>();
  const underWay = new Set<Promise<void>>();
  let waiting = 0;
  const settled = async (): Promise<void> => {
    while (underWay.size > 0) await Promise.all(underWay);
  };
  return {
    pass: onPass,
    begin(head) {
      onBegin?.();
      const request = createKept();
      const response = createKept();
      let answer: AnswerHead | undefined;
      let isOver = false;
      let close = (): void => {};
      const closed = new Promise<void>((resolve) => (close = resolve));
      open.add(closed);
      return {
        request: request.add,
        answer(given) {
          answer = given;
        },
        answered: response.add,
        end(how, isIdentical) {
          if (isOver) return;
          isOver = true;
          const milliseconds = now() - head.at;
          if (waiting + request.size() + response.size() > mostWaiting) request.drop();
          const bytes = request.size() + response.size();
          waiting += bytes;
          // Not before the answer's last bytes are on their way.
          const reading = turnOfTheLoop().then(async () => {
            const bodies = { requestBody: request.whole(), answerBody: response.whole() };
            const exchange: Exchange = {
              ...head,
              milliseconds,
              end: how,
              isIdentical,
              ...(answer === undefined ? {} : { answer }),
              ...(bodies.requestBody === undefined ? {} : { requestBody: bodies.requestBody }),
              ...(bodies.answerBody === undefined ? {} : { answerBody: bodies.answerBody }),
            };
            onRecord(await reader.read(exchange));
          });
          underWay.add(reading);
          void reading.finally(() => {
            underWay.delete(reading);
            waiting -= bytes;
          });
          open.delete(closed);
          close();
        },
      };
    },
    settled,
    async ended() {
      await Promise.all(open);
      await settled();
    },
  };
}

interface Kept {
  readonly add: (bytes: Uint8Array) => void;
  readonly drop: () => void;
  /** Of what is kept. */
  readonly size: () => number;
  /** In memory of its own, so that it can be handed to another thread. Undefined where it was too much. */
  readonly whole: () => Uint8Array | undefined;
}

function createKept(): Kept {
  let parts: Uint8Array[] = [];
  let size = 0;
  return {
    add(bytes) {
      size += bytes.length;
      if (size <= MOST_KEPT) parts.push(bytes);
      else parts = [];
    },
    drop() {
      size = Infinity;
      parts = [];
    },
    size: () => (size <= MOST_KEPT ? size : 0),
    whole() {
      if (size > MOST_KEPT) return undefined;
      const whole = new Uint8Array(size);
      let at = 0;
      for (const part of parts) {
        whole.set(part, at);
        at += part.length;
      }
      parts = [];
      return whole;
    },
  };
}
