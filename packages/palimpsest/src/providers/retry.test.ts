import type { ApiFailure, CallOptions, StreamOutput } from "@palimpsest/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defaultRetrySettings, type Attempt } from "./retry.js";
import {
  attempts,
  block,
  blockStart,
  failing,
  failureIn,
  message,
  run,
  simulatedPorts,
  start,
  text,
  whole,
} from "./testing/attempts.js";

describe("what is yielded", () => {
  it("everything, of an attempt that succeeds", async () => {
    const { attempt, signals } = attempts(whole);
    expect(await run(attempt)).toEqual(whole);
    expect(signals).toHaveLength(1);
  });

  it("nothing of an attempt that fails before content", async () => {
    const { attempt } = attempts([start, blockStart, failing()], [start, new Error("x")], whole);
    expect(await run(attempt)).toEqual(whole);
  });

  it("what came, and the failure, where there was content", async () => {
    for (const content of [text, block, { kind: "thinking", index: 0, thinking: "m" } as const]) {
      const { attempt, signals } = attempts([start, blockStart, content, failing()], whole);
      const outputs = await run(attempt);
      expect(outputs).toEqual([start, blockStart, content, failing()]);
      expect(signals).toHaveLength(1);
    }
  });

  it("a message without content, with its start", async () => {
    const empty: readonly StreamOutput[] = [start, { kind: "message", message }];
    expect(await run(attempts(empty).attempt)).toEqual(empty);
  });

  it("nothing behind the message or the error", async () => {
    expect(await run(attempts([...whole, failing(), ...whole]).attempt)).toEqual(whole);
    const outputs = await run(attempts([failing({ retryable: false }), ...whole]).attempt);
    expect(outputs).toEqual([failing({ retryable: false })]);
  });

  it("an attempt that just ends is a connection that was cut short", async () => {
    const { attempt } = attempts([start], [], [start, blockStart, text]);
    const outputs = await run(attempt);
    expect(outputs.map(({ kind }) => kind)).toEqual(["start", "block-start", "text", "error"]);
    expect(failureIn(outputs)).toMatchObject({ kind: "connection", retryable: true });
  });

  it("violations are failures: cut off is the connection's, everything else the server's", async () => {
    const violation = (code: "truncated" | "wrong-index"): StreamOutput => ({
      kind: "violation",
      violation: { code, detail: "d" },
    });
    const retries: string[] = [];
    const onRetry: CallOptions["onRetry"] = ({ failure }) => retries.push(failure.kind);
    const { attempt } = attempts([violation("truncated")], [start, violation("wrong-index")], whole);
    expect(await run(attempt, { call: { onRetry } })).toEqual(whole);
    expect(retries).toEqual(["connection", "api"]);
  });

  it("never an exception: neither of the attempt itself nor of an iterator", async () => {
    const settings = { maxRetries: 0 };
    const throwing: readonly Attempt[] = [
      () => {
        throw new Error("at once");
      },
      () => ({}) as AsyncIterable<StreamOutput>,
      () => ({
        [Symbol.asyncIterator]: () => ({
          next() {
            throw new Error("no promise");
          },
        }),
      }),
      attempts(["thrown" as unknown as Error]).attempt,
    ];
    for (const attempt of throwing) {
      const outputs = await run(attempt, { settings });
      expect(failureIn(outputs)?.message).not.toBe("");
    }
  });

  it("property: whatever attempts do, one end, no start twice, and at most maxRetries + 1 attempts", async () => {
    const play = fc.array(
      fc.constantFrom<StreamOutput | Error>(
        ...whole,
        failing(),
        failing({ retryable: false }),
        failing({ kind: "context-overflow" }),
        { kind: "violation", violation: { code: "truncated", detail: "" } },
        new Error("thrown"),
      ),
      { maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(play, { maxLength: 5 }), fc.nat(3), async (plays, maxRetries) => {
        const { attempt, signals } = attempts(...plays);
        const { waits, ports } = simulatedPorts();
        const outputs = await run(attempt, { settings: { maxRetries }, ports });
        const ends = outputs.filter(({ kind }) => kind === "message" || kind === "error");
        expect(ends).toEqual([outputs.at(-1)]);
        expect(signals.length).toBe(waits.length + 1);
        expect(signals.length).toBeLessThanOrEqual(maxRetries + 1);
        expect(signals.every(({ aborted }) => aborted)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

describe("waits", () => {
  const endless = (failure?: Partial<ApiFailure>): Attempt =>
    attempts(...Array.from({ length: 20 }, () => [failing(failure)])).attempt;

  it("double from half a second to eight, with four retries", async () => {
    const { waits, ports } = simulatedPorts();
    await run(endless(), { ports });
    expect(waits).toEqual([500, 1000, 2000, 4000]);
    const more = simulatedPorts();
    await run(endless(), { ports: more.ports, settings: { maxRetries: 7 } });
    expect(more.waits.slice(4)).toEqual([8000, 8000, 8000]);
    expect(defaultRetrySettings.maxRetries).toBe(4);
  });

  it("do not go on for ever where the most retries are no number", async () => {
    const { ports } = simulatedPorts();
    const controller = new AbortController();
    let count = 0;
    async function* attempt(): AsyncGenerator<StreamOutput> {
      count += 1;
      if (count > 20) controller.abort();
      yield failing();
    }
    const call = { signal: controller.signal };
    const outputs = await run(attempt, { ports, call, settings: { maxRetries: Number.NaN } });
    expect(count).toBe(1);
    expect(failureIn(outputs)).not.toMatchObject({ kind: "aborted" });
  });

  it("property: are shortened at random, by a quarter at most", async () => {
    await fc.assert(
      fc.asyncProperty(fc.double({ min: 0, max: 1, noNaN: true }), async (random) => {
        const { waits, ports } = simulatedPorts(() => random);
        await run(endless(), { ports });
        for (const [index, wait] of waits.entries()) {
          const full = 500 * 2 ** index;
          expect(wait).toBeGreaterThanOrEqual(full * 0.75);
          expect(wait).toBeLessThanOrEqual(full);
        }
      }),
    );
  });

  it("are the server's, where it says so, without jitter", async () => {
    const { waits, ports } = simulatedPorts(() => 1);
    const outputs = await run(endless({ kind: "rate-limit", retryAfterMs: 30_000 }), { ports });
    expect(waits).toEqual([30_000, 30_000, 30_000, 30_000]);
    expect(failureIn(outputs)).toMatchObject({ kind: "rate-limit", retryAfterMs: 30_000 });
  });

  it("are not waited for where the server wants too long a one", async () => {
    const { waits, ports } = simulatedPorts();
    const outputs = await run(endless({ retryAfterMs: 60_001 }), { ports });
    expect(waits).toEqual([]);
    expect(failureIn(outputs)).toMatchObject({ retryAfterMs: 60_001 });
    const patient = simulatedPorts();
    await run(endless({ retryAfterMs: 60_001 }), {
      ports: patient.ports,
      settings: { maxRetryAfterMs: 100_000 },
    });
    expect(patient.waits).toHaveLength(4);
  });

  it("do not happen for what would fail again, whatever a server says about it", async () => {
    for (const kind of ["context-overflow", "authentication", "invalid-request", "aborted"] as const) {
      const { waits, ports } = simulatedPorts();
      const outputs = await run(endless({ kind, retryable: true }), { ports });
      expect(failureIn(outputs)?.kind).toBe(kind);
      expect(waits).toEqual([]);
    }
  });

  it("are told of before they begin", async () => {
    const { waits, ports } = simulatedPorts();
    const told: unknown[] = [];
    const onRetry: CallOptions["onRetry"] = (retry) => told.push([waits.length, retry]);
    await run(attempts([failing()], [new Error("x")], whole).attempt, { ports, call: { onRetry } });
    expect(told).toMatchObject([
      [0, { attempt: 1, waitMs: 500, failure: { kind: "overloaded" } }],
      [1, { attempt: 2, waitMs: 1000, failure: { kind: "connection" } }],
    ]);
  });

  it("survive an observer that throws, and a sleep that fails", async () => {
    const onRetry = (): void => {
      throw new Error("observer");
    };
    const sleep = (): Promise<void> => Promise.reject(new Error("sleep"));
    const { attempt } = attempts([failing()], whole);
    expect(await run(attempt, { ports: { sleep }, call: { onRetry } })).toEqual(whole);
  });
});
