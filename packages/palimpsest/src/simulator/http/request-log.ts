import type { Verdict } from "../outcome.js";

/** How the response reached the client. */
export type Journey =
  /** On its way. */
  | "pending"
  | "complete"
  /** The connection was cut, as a fault or a player asked. */
  | "cut"
  /** An `error` event ended the stream. */
  | "error-event"
  /** The client went away. */
  | "aborted";

/** One request to the API, without keys and without content. */
export interface RequestRecord {
  /** Counted from 1, over resets. */
  readonly sequence: number;
  readonly requestId: string;
  /** The simulated time at which it was answered, in milliseconds. */
  readonly time: number;
  readonly method: string;
  readonly path: string;
  /** A digest of the key; null where there was none, or a wrong one. */
  readonly workspace: string | null;
  readonly apiVersion: string | null;
  readonly betas: readonly string[];
  readonly model: string | null;
  readonly stream: boolean;
  /** Size of the body. */
  readonly bytes: number;
  readonly status: number;
  readonly error: { readonly type: string; readonly message: string } | null;
  /** The faults on demand that this request met. */
  readonly faults: readonly string[];
  readonly verdict: Verdict | null;
  readonly journey: Journey;
}

export interface Totals {
  readonly requests: number;
  /** Answered with an error, faults on demand included. */
  readonly rejected: number;
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly output: number;
  /** Dollars. */
  readonly cost: number;
  /** Everything in the price of one fresh input token. */
  readonly inputEquivalents: number;
}

export interface RequestLog {
  add(record: Omit<RequestRecord, "sequence" | "journey">): RequestRecord;
  /** Says how the response of a record went; nothing if the record is gone by now. */
  arrive(sequence: number, journey: Journey): void;
  /** The records after a sequence number, the oldest first, as far as they are kept. */
  since(sequence: number): readonly RequestRecord[];
  totals(): Totals;
  /** Forgets records and totals; the sequence goes on. */
  reset(): void;
}

type Sums = Omit<Totals, "inputEquivalents">;

const nothing: Sums = {
  requests: 0,
  rejected: 0,
  input: 0,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  output: 0,
  cost: 0,
};

const DEFAULT_LOG_LIMIT = 1000;

/** Keeps the last `limit` records; the totals are those of all. */
export function createRequestLog(limit: number = DEFAULT_LOG_LIMIT): RequestLog {
  const size = Math.max(1, Math.floor(limit));
  let ring: RequestRecord[] = [];
  let sequence = 0;
  let first = 1;
  let sums = nothing;
  const slot = (of: number): number => (of - 1) % size;
  return {
    add(fields) {
      sequence += 1;
      const record: RequestRecord = { ...fields, sequence, journey: "pending" };
      ring[slot(sequence)] = record;
      first = Math.max(first, sequence - size + 1);
      sums = sum(sums, record);
      return record;
    },
    arrive(of, journey) {
      const record = ring[slot(of)];
      if (record?.sequence === of) ring[slot(of)] = { ...record, journey };
    },
    since(after) {
      const from = Math.max(first, Number.isFinite(after) ? Math.floor(after) + 1 : first);
      const records: RequestRecord[] = [];
      for (let at = from; at <= sequence; at += 1) {
        const record = ring[slot(at)];
        if (record !== undefined) records.push(record);
      }
      return records;
    },
    totals: () => ({
      ...sums,
      inputEquivalents:
        sums.input +
        1.25 * sums.cacheWrite5m +
        2 * sums.cacheWrite1h +
        0.1 * sums.cacheRead +
        5 * sums.output,
    }),
    reset() {
      ring = [];
      first = sequence + 1;
      sums = nothing;
    },
  };
}

function sum(sums: Sums, { status, verdict }: RequestRecord): Sums {
  return {
    requests: sums.requests + 1,
    rejected: sums.rejected + (status >= 400 ? 1 : 0),
    input: sums.input + (verdict?.input ?? 0),
    cacheRead: sums.cacheRead + (verdict?.cacheRead ?? 0),
    cacheWrite5m: sums.cacheWrite5m + (verdict?.cacheWrite5m ?? 0),
    cacheWrite1h: sums.cacheWrite1h + (verdict?.cacheWrite1h ?? 0),
    output: sums.output + (verdict?.output ?? 0),
    cost: sums.cost + (verdict?.cost ?? 0),
  };
}
