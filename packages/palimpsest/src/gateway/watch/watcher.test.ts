import { describe, expect, it } from "vitest";
import type { ExchangeRecord } from "../receipt/exchange-record.js";
import type { Exchange, ExchangeHead } from "./exchange.js";
import { createExchangeReader } from "./exchange-reader.js";
import { createWatcher } from "./watcher.js";

const head: ExchangeHead = {
  at: 0,
  tenant: "local",
  protocol: "anthropic",
  method: "POST",
  path: "/v1/messages",
  headers: {},
  isSubscription: false,
};
const answer = Buffer.from(
  JSON.stringify({ type: "message", model: "m", usage: { input_tokens: 7, output_tokens: 1 } }),
);

describe("what waits to be read", () => {
  it("is bounded: of what comes faster than it is read the request is dropped, its figures are not, and that is said", async () => {
    const real = createExchangeReader();
    const waiting: (() => void)[] = [];
    const records: ExchangeRecord[] = [];
    const seen: Exchange[] = [];
    const watcher = createWatcher({
      reader: {
        ...real,
        async read(exchange) {
          seen.push(exchange);
          await new Promise<void>((resolve) => waiting.push(resolve));
          return real.read(exchange);
        },
      },
      now: () => 0,
      onPass() {},
      onRecord: (record) => records.push(record),
      mostWaiting: 2500,
    });
    const body = Buffer.from(
      JSON.stringify({ model: "m", messages: [{ role: "user", content: "x".repeat(900) }] }),
    );
    const exchange = (): void => {
      const watch = watcher.begin(head);
      watch.request(body);
      watch.answer({ status: 200, headers: { "content-type": "application/json" } });
      watch.answered(answer);
      watch.end("complete", true);
    };
    for (let number = 0; number < 5; number += 1) exchange();
    await expect.poll(() => waiting.length).toBe(5);
    expect(seen.map(({ requestBody }) => requestBody?.length)).toEqual([
      body.length,
      body.length,
      undefined,
      undefined,
      undefined,
    ]);
    expect(seen.every(({ answerBody }) => answerBody?.length === answer.length)).toBe(true);
    for (const go of waiting.splice(0)) go();
    await watcher.settled();
    expect(records.map(({ isUnplaced = false }) => isUnplaced)).toEqual([false, false, true, true, true]);
    expect(records.map(({ call }) => call?.usage.input_tokens)).toEqual([7, 7, 7, 7, 7]);
    // Once they are read there is room again.
    exchange();
    await expect.poll(() => waiting.length).toBe(1);
    for (const go of waiting.splice(0)) go();
    await watcher.settled();
    expect(records.at(-1)?.conversation).toBeDefined();
  });
});
