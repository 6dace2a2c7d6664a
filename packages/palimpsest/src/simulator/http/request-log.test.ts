import { describe, expect, it } from "vitest";
import { createRequestLog, type RequestRecord } from "./request-log.js";

const fields: Omit<RequestRecord, "sequence" | "journey"> = {
  requestId: "req_1",
  time: 0,
  method: "POST",
  path: "/v1/messages",
  workspace: null,
  apiVersion: null,
  betas: [],
  model: null,
  stream: false,
  bytes: 0,
  status: 200,
  error: null,
  faults: [],
  verdict: null,
};

describe("createRequestLog", () => {
  it("keeps the last ones, over any number of requests and resets", () => {
    const log = createRequestLog(3);
    const sequences = (since = 0): number[] => log.since(since).map(({ sequence }) => sequence);
    for (let number = 1; number <= 10; number += 1) {
      log.add(fields);
      const from = Math.max(1, number - 2);
      expect(sequences()).toEqual(Array.from({ length: number - from + 1 }, (_, index) => from + index));
    }
    expect(sequences(9)).toEqual([10]);
    expect(sequences(10)).toEqual([]);
    expect(log.totals().requests).toBe(10);
    log.reset();
    expect([sequences(), log.totals().requests]).toEqual([[], 0]);
    log.add(fields);
    expect(sequences()).toEqual([11]);
  });

  it("a response that arrives after its record is gone changes nothing", () => {
    const log = createRequestLog(2);
    const { sequence } = log.add(fields);
    log.add(fields);
    log.arrive(sequence, "cut");
    expect(log.since(0).map(({ journey }) => journey)).toEqual(["cut", "pending"]);
    log.add(fields);
    log.arrive(sequence, "complete");
    expect(log.since(0).map(({ journey }) => journey)).toEqual(["pending", "pending"]);
  });
});
