import { getEventListeners } from "node:events";
import type { ApiFailure, CallOptions, ModelOutput, StreamOutput } from "@palimpsest/core";
import { afterEach, describe, expect, it, vi } from "vitest";
import { streamWithRetries, type Attempt } from "./retry.js";
import { attempts, collect, failing, failureIn, run, start, stuck, whole } from "./testing/attempts.js";

afterEach(() => {
  vi.useRealTimers();
});

describe("calling off", () => {
  it("before: no attempt", async () => {
    const { attempt, signals } = attempts(whole);
    const outputs = await run(attempt, { call: { signal: AbortSignal.abort() } });
    expect(outputs).toMatchObject([{ kind: "error", failure: { kind: "aborted", retryable: false } }]);
    expect(signals).toEqual([]);
  });

  it("in an attempt that heeds nothing: ends at once, and the attempt's signal is aborted", async () => {
    const controller = new AbortController();
    const { attempt, signals } = stuck(start);
    const running = run(attempt, { call: { signal: controller.signal } });
    await expect.poll(() => signals.length).toBe(1);
    controller.abort();
    expect(failureIn(await running)?.kind).toBe("aborted");
    expect(signals[0]?.aborted).toBe(true);
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });

  it("during a wait: ends at once, with no further attempt and no timer", async () => {
    vi.useFakeTimers();
    const controller = new AbortController();
    const { attempt, signals } = attempts([failing({ retryAfterMs: 50_000 })], whole);
    const running = collect(streamWithRetries(attempt, { call: { signal: controller.signal } }));
    await vi.advanceTimersByTimeAsync(10_000);
    controller.abort();
    expect(failureIn(await running)?.kind).toBe("aborted");
    expect(signals).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });

  it("while a sleep ignores the signal: ends at once", async () => {
    const controller = new AbortController();
    let isAsleep = false;
    const sleep = (): Promise<void> => {
      isAsleep = true;
      return new Promise(() => {});
    };
    const running = run(attempts([failing()]).attempt, {
      ports: { sleep },
      call: { signal: controller.signal },
    });
    await expect.poll(() => isAsleep).toBe(true);
    controller.abort();
    expect(failureIn(await running)?.kind).toBe("aborted");
  });

  it("while the reader holds a piece: the connection is closed at once", async () => {
    const controller = new AbortController();
    const { attempt, signals } = attempts(whole);
    const outputs: ModelOutput[] = [];
    for await (const output of streamWithRetries(attempt, { call: { signal: controller.signal } })) {
      outputs.push(output);
      if (output.kind !== "text") continue;
      controller.abort();
      expect(signals[0]?.aborted).toBe(true);
    }
    expect(outputs.map(({ kind }) => kind)).toEqual(["start", "block-start", "text", "error"]);
    expect(failureIn(outputs)?.kind).toBe("aborted");
  });

  it("after the message: it stays the end", async () => {
    const controller = new AbortController();
    const outputs: ModelOutput[] = [];
    const { attempt } = attempts(whole);
    for await (const output of streamWithRetries(attempt, { call: { signal: controller.signal } })) {
      outputs.push(output);
      if (output.kind === "message") controller.abort();
    }
    expect(outputs).toEqual(whole);
  });

  it("by reading no further: the attempt's signal is aborted", async () => {
    const { attempt, signals } = stuck(...whole.slice(0, 3));
    for await (const output of streamWithRetries(attempt, {})) {
      if (output.kind === "text") break;
    }
    expect(signals[0]?.aborted).toBe(true);
  });
});

describe("the idle time-out", () => {
  it("is five minutes without output; a failed attempt is retried", async () => {
    vi.useFakeTimers();
    const plays = [stuck(start), attempts(whole)] as const;
    let attempted = 0;
    const attempt: Attempt = (signal, alive, sent) => {
      attempted += 1;
      return (attempted === 1 ? plays[0] : plays[1]).attempt(signal, alive, sent);
    };
    const retries: ApiFailure[] = [];
    const onRetry: CallOptions["onRetry"] = ({ failure }) => retries.push(failure);
    const running = run(attempt, { call: { onRetry } });
    await vi.advanceTimersByTimeAsync(299_999);
    expect(attempted).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await running).toEqual(whole);
    expect(retries).toMatchObject([
      { kind: "timeout", message: "the server sent nothing for 300 seconds", retryable: true },
    ]);
    expect(plays[0].signals[0]?.aborted).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("after content ends the stream", async () => {
    const { attempt, signals } = stuck(...whole.slice(0, 3));
    const outputs = await run(attempt, { idleTimeoutMs: 10 });
    expect(outputs.map(({ kind }) => kind)).toEqual(["start", "block-start", "text", "error"]);
    expect(failureIn(outputs)?.kind).toBe("timeout");
    expect(signals[0]?.aborted).toBe(true);
  });

  it("counts from the last sign of life", async () => {
    vi.useFakeTimers();
    const attempt: Attempt = async function* (_signal, alive) {
      yield start;
      for (let pings = 0; pings < 5; pings += 1) {
        await new Promise((resolve) => setTimeout(resolve, 900));
        alive();
      }
      yield* whole.slice(1);
    };
    const running = run(attempt, { idleTimeoutMs: 1000, settings: { maxRetries: 0 } });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await running).toEqual(whole);
  });

  it("is not put off by an attempt that was given up", async () => {
    vi.useFakeTimers();
    let attempted = 0;
    const attempt: Attempt = async function* (_signal, alive) {
      attempted += 1;
      if (attempted === 1) {
        await new Promise((resolve) => setTimeout(resolve, 1001));
        setInterval(alive, 100);
      }
      await new Promise(() => {});
      yield start;
    };
    const running = run(attempt, { idleTimeoutMs: 1000, settings: { maxRetries: 1 } });
    await vi.advanceTimersByTimeAsync(2100);
    expect(failureIn(await running)?.kind).toBe("timeout");
    vi.clearAllTimers();
  });

  it("does not run while the reader takes its time", async () => {
    vi.useFakeTimers();
    const outputs: ModelOutput[] = [];
    const running = (async () => {
      for await (const output of streamWithRetries(attempts(whole).attempt, { idleTimeoutMs: 100 })) {
        outputs.push(output);
        await new Promise((resolve) => setTimeout(resolve, 5000));
      }
    })();
    await vi.advanceTimersByTimeAsync(60_000);
    await running;
    expect(outputs).toEqual(whole);
  });

  it("has one beside it that signs of life alone do not put off, and that content does", async () => {
    vi.useFakeTimers();
    let isTalking = false;
    async function* pinging(_signal: AbortSignal, alive: () => void): AsyncGenerator<StreamOutput> {
      for (let count = 0; count < 100; count += 1) {
        await new Promise((resolve) => setTimeout(resolve, 1000));
        alive();
        if (isTalking && count % 5 === 0) yield { kind: "text", index: 0, text: "x" };
      }
    }
    const options = { idleTimeoutMs: 2000, stallTimeoutMs: 10_000 };
    const stalled = run(pinging, options);
    await vi.advanceTimersByTimeAsync(200_000);
    expect(failureIn(await stalled)).toEqual({
      kind: "timeout",
      message: "the server sent signs of life for 10 seconds, and nothing of an answer",
      retryable: false,
    });
    isTalking = true;
    const talking = run(pinging, options);
    await vi.advanceTimersByTimeAsync(200_000);
    expect((await talking).filter(({ kind }) => kind === "text")).toHaveLength(20);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("does not exist for 0 and Infinity, and is never shorter than it says", async () => {
    vi.useFakeTimers();
    for (const idleTimeoutMs of [0, Infinity, 10 ** 12]) {
      const controller = new AbortController();
      const running = run(stuck(start).attempt, {
        idleTimeoutMs,
        stallTimeoutMs: idleTimeoutMs,
        call: { signal: controller.signal },
      });
      await vi.advanceTimersByTimeAsync(86_400_000);
      controller.abort();
      expect(failureIn(await running)?.kind).toBe("aborted");
    }
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("the end of a connection", () => {
  it("is waited for behind the message, so that it can be used again", async () => {
    let read: AbortSignal | undefined;
    let wasAborted = false;
    const attempt: Attempt = async function* (signal) {
      yield* whole;
      await new Promise((resolve) => setTimeout(resolve, 10));
      read = signal;
      wasAborted = signal.aborted;
    };
    expect(await run(attempt)).toEqual(whole);
    expect(wasAborted).toBe(false);
    expect(read?.aborted).toBe(true);
    expect(read?.reason).toMatchObject({ name: "AbortError" });
  });

  it("is not waited for without end", async () => {
    const { attempt, signals } = stuck(...whole);
    expect(await run(attempt)).toEqual(whole);
    expect(signals[0]?.aborted).toBe(true);
  });

  it("is not waited for without end, even if the server goes on sending", async () => {
    const attempt: Attempt = async function* (signal, alive) {
      yield* whole;
      while (!signal.aborted) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        alive();
      }
    };
    expect(await run(attempt)).toEqual(whole);
  });

  it("that fails behind the message changes nothing", async () => {
    expect(await run(attempts([...whole, new Error("reset")]).attempt)).toEqual(whole);
  });

  it("leaves no timer behind", async () => {
    vi.useFakeTimers();
    expect(await run(attempts([failing()], whole).attempt)).toEqual(whole);
    expect(vi.getTimerCount()).toBe(0);
  });
});
