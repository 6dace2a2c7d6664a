import { describe, expect, it } from "vitest";
import type { ExchangeRecord } from "./exchange-record.js";
import { receiptDocument } from "./receipt-json.js";
import { statusLine } from "./status-line.js";
import { receiptLines } from "./receipt-text.js";
import { addExchange, addLost, addUnwatched, emptyReceipt, type Receipt } from "./receipt.js";

const record = (more: Partial<ExchangeRecord> = {}): ExchangeRecord => ({
  at: Date.UTC(2026, 10, 16, 12),
  milliseconds: 5,
  tenant: "local",
  endpoint: "messages",
  end: "complete",
  status: 200,
  isIdentical: true,
  isSubscription: false,
  ...more,
});

const call = (model: string) => ({
  model,
  usage: {
    input_tokens: 1000,
    output_tokens: 100,
    cache_read_input_tokens: 10_000,
    cache_creation_input_tokens: 3000,
    cache_creation: { ephemeral_5m_input_tokens: 1000, ephemeral_1h_input_tokens: 2000 },
  },
});

const receiptOf = (...records: readonly ExchangeRecord[]): Receipt =>
  records.reduce(addExchange, emptyReceipt(0));

describe("a receipt", () => {
  it("has tokens by kind and dollars by each model's prices, per model and day, and survives JSON", () => {
    const receipt = receiptOf(
      record({ call: call("claude-opus-5") }),
      record({ call: call("claude-haiku-4-5-20251001"), at: Date.UTC(2026, 10, 17) }),
      record({ endpoint: "count-tokens" }),
      record({ status: 529, error: "overloaded_error" }),
      record({ call: call("somebody-else-1") }),
    );
    const opus = (1000 * 5 + 10_000 * 0.5 + 1000 * 6.25 + 2000 * 10 + 100 * 25) / 1e6;
    const document = receiptDocument(JSON.parse(JSON.stringify(receipt)) as Receipt, "observe");
    expect(document).toMatchObject({
      requests: 5,
      identical: 5,
      usage: { input: 3000, cacheRead: 30_000, cacheWrite5m: 3000, cacheWrite1h: 6000, output: 300 },
      costIs: "billed",
      tokenCounts: 1,
      errors: 1,
      errorTypes: { overloaded_error: 1 },
      models: { "claude-opus-5": { calls: 1, priced: true }, "somebody-else-1": { cost: 0, priced: false } },
      days: { "2026-11-16": { requests: 4 }, "2026-11-17": { requests: 1 } },
    });
    expect(document.cost).toBeCloseTo(opus * 1.2, 10);
    expect(document.days["2026-11-17"]?.cost).toBeCloseTo(opus / 5, 10);
    const text = receiptLines(document).join("\n");
    expect(text).toContain("5 requests, all passed on byte for byte");
    expect(text).toContain("no price known");
    expect(text).toMatch(
      /cost \$\d\.\d{4}, by the usage that the API reported; without [\w-]+, whose prices are not known/,
    );
    expect(text).toContain(`cost $${(opus * 1.2).toFixed(4)}, by the usage that the API reported`);
  });

  it("calls a subscription's dollars API-equivalent, and says what is left of it", () => {
    const quota = {
      "anthropic-ratelimit-unified-5h-utilization": "0.42",
      "anthropic-ratelimit-unified-5h-reset": "1794830400",
      "anthropic-ratelimit-unified-7d-utilization": "0.1",
      "anthropic-ratelimit-unified-status": "allowed",
    };
    const paid = record({ call: call("claude-opus-5"), isSubscription: true, quota });
    const alone = receiptDocument(receiptOf(paid), "observe");
    expect(alone).toMatchObject({ costIs: "api-equivalent", quota });
    expect(alone.subscriptionCost).toBe(alone.cost);
    expect(receiptLines(alone)).toContainEqual(
      expect.stringMatching(/^cost \$0\.038[78] API-equivalent: a subscription pays/),
    );
    expect(receiptLines(alone)).toContain(
      "subscription: 5h 42% used, until 2026-11-16 12:00 UTC; 7d 10% used",
    );
    const mixed = receiptDocument(receiptOf(paid, record({ call: call("claude-opus-5") })), "observe");
    expect(mixed.costIs).toBe("mixed");
    expect(mixed.subscriptionCost).toBeCloseTo(mixed.cost / 2, 12);
  });

  it("in one line", () => {
    const found = { reasons: ["tools-changed"], lostTokens: 5000, cost: 0.25, gapMs: 1 };
    const conversation = { id: "c", isNew: true, isNewLane: true, isSubagent: false, forgotten: 0 };
    const quota = { "anthropic-ratelimit-unified-5h-utilization": "0.42" };
    const one = record({ call: call("claude-opus-5"), isSubscription: true, found, conversation, quota });
    expect(statusLine(receiptDocument(receiptOf(one), "observe"))).toBe(
      "$0.04 API-equivalent · 1 request · 71% from the cache · 1 break $0.25 · 5h 42%",
    );
    expect(statusLine(receiptDocument(emptyReceipt(0), "observe"))).toBe("$0.00 · 0 requests");
  });

  it("says what is in no conversation, and what is no longer remembered", () => {
    const one = record({ call: call("claude-opus-5"), isUnplaced: true });
    const conversation = { id: "c", isNew: true, isNewLane: true, isSubagent: false, forgotten: 3 };
    const document = receiptDocument(receiptOf(one, record({ conversation })), "observe");
    expect(document).toMatchObject({ unplaced: 1, forgotten: 3, conversations: 1 });
    expect(receiptLines(document).slice(-2)).toEqual([
      "1 request in no conversation and no recording: too large to be kept, or faster than they could be read",
      "3 lines of requests no longer remembered for newer ones: one that goes on counts as a new conversation",
    ]);
  });

  it("has a line for a hundred at most, one of them the others together: sums are what they were", () => {
    const records = Array.from({ length: 500 }, (_, at) =>
      record({
        call: call("claude-opus-5"),
        conversation: {
          id: `c${at % 130}`,
          isNew: at < 130,
          isNewLane: false,
          isSubagent: false,
          lane: at % 2 === 0 ? "lane-1" : "subagent-2",
          forgotten: 0,
        },
      }),
    );
    const { conversationCosts, laneCosts, cost, conversations } = receiptDocument(
      receiptOf(...records),
      "observe",
    );
    const costs = Object.values(conversationCosts);
    expect(Object.keys(conversationCosts)).toHaveLength(100);
    expect(Object.keys(conversationCosts)[0]).toBe("others");
    expect(conversations).toBe(130);
    expect(costs.reduce((sum, one) => sum + one.requests, 0)).toBe(500);
    expect(costs.reduce((sum, one) => sum + one.cost, 0)).toBeCloseTo(cost, 8);
    expect(Object.keys(conversationCosts).at(-1)).toBe(`c${499 % 130}`);
    expect(costs.at(-1)).toMatchObject({ lane: "subagent-2" });
    expect(costs[0]).not.toHaveProperty("lane");
    expect(laneCosts).toEqual({
      "lane-1": { requests: 250, cost: expect.closeTo(cost / 2, 8) as number },
      "subagent-2": { requests: 250, cost: expect.closeTo(cost / 2, 8) as number },
    });
  });

  it("says what is not in its figures", () => {
    const receipt = addLost(
      addUnwatched(
        receiptOf(record({ end: "cut", isIdentical: false, unread: "the encoding zstd is not read" })),
      ),
      2,
    );
    const document = receiptDocument(receipt, "off");
    expect(document).toMatchObject({ requests: 4, identical: 1, unwatched: 1, lost: 2, cost: 0 });
    expect(receiptLines(document)).toEqual([
      "gateway (off): 4 requests, 1 passed on whole",
      "1 error: cut off by the upstream 1",
      "not in these figures: the encoding zstd is not read 1",
      "1 request passed while the mode was off, not in these figures",
      "2 requests under way when the proxy was started again, perhaps billed",
    ]);
  });

  it("does not grow with the names that an upstream makes up", () => {
    let receipt = emptyReceipt(0);
    for (let number = 0; number < 500; number += 1) {
      receipt = addExchange(receipt, record({ error: `${number} ${"x".repeat(1000)}` }));
    }
    receipt = addExchange(receipt, record({ error: "__proto__" }));
    expect(receipt.errors).toBe(501);
    expect(JSON.stringify(receipt).length).toBeLessThan(6000);
    expect(receipt.errorTypes["others"]).toBe(461);
  });
});
