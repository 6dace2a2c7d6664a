import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BilledCall } from "../../messages/billed-calls.js";
import { findModel, models } from "../../models/table.js";
import {
  accountByModel,
  accountBySource,
  accountOf,
  accountTotal,
  addCall,
  emptyAccount,
} from "./account.js";

const MILLION = 1_000_000;

const call = (more: Partial<BilledCall> = {}): BilledCall => ({
  source: "sdk",
  model: "claude-opus-4-5",
  usage: { input_tokens: MILLION, output_tokens: 0 },
  ...more,
});

describe("an account", () => {
  it("prices every kind of token by each model's own prices", () => {
    const usage = {
      input_tokens: 1000,
      output_tokens: 200,
      cache_read_input_tokens: 30_000,
      cache_creation_input_tokens: 5000,
      cache_creation: { ephemeral_5m_input_tokens: 2000, ephemeral_1h_input_tokens: 3000 },
    };
    const { lines } = accountOf([call({ usage }), call({ usage, model: "claude-haiku-4-5" })]);
    expect(lines[0]?.dollars).toBeCloseTo(
      (1000 * 5 + 200 * 25 + 30_000 * 0.5 + 2000 * 6.25 + 3000 * 10) / MILLION,
      12,
    );
    expect(lines[1]?.dollars).toBeCloseTo((lines[0]?.dollars ?? 0) / 5, 12);
    expect(lines[0]).toMatchObject({
      inputTokens: 1000,
      outputTokens: 200,
      cacheReadTokens: 30_000,
      cacheWrite5mTokens: 2000,
      cacheWrite1hTokens: 3000,
    });
  });

  it("has one line for each model and source, whatever name the model was called by", () => {
    const { lines } = accountOf([
      call(),
      call({ model: "claude-opus-4-5-20251101" }),
      call({ source: "compact" }),
      call({ model: "us.anthropic.claude-opus-4-5-20251101-v1:0", source: "compact" }),
    ]);
    expect(lines).toMatchObject([
      { model: "claude-opus-4-5", source: "sdk", calls: 2 },
      { model: "claude-opus-4-5", source: "compact", calls: 2 },
    ]);
  });

  it("has tokens and no dollars for a model that has no prices, and says so", () => {
    const total = accountTotal(accountOf([call({ model: "somebody-else-1" }), call()]));
    expect(total).toMatchObject({ calls: 2, inputTokens: 2 * MILLION, dollars: 5, unpricedCalls: 1 });
  });

  it("has what is estimated in its figures, and apart", () => {
    const total = accountTotal(accountOf([call(), call({ estimated: "all" })]));
    expect(total).toMatchObject({ calls: 2, dollars: 10, estimated: { calls: 1, dollars: 5 } });
  });

  it("prices each prompt of a response by its own length, and the server's own compaction too", () => {
    const long = findModel("claude-haiku-5-5")?.longPrompt?.above ?? 0;
    expect(long).toBeGreaterThan(0);
    const part = { type: "message", input_tokens: long, output_tokens: 0 };
    const two = accountTotal(
      accountOf([
        call({
          model: "claude-haiku-5-5",
          usage: { input_tokens: 0, output_tokens: 0, iterations: [{ ...part, type: "compaction" }, part] },
        }),
      ]),
    );
    const one = accountTotal(
      accountOf([call({ model: "claude-haiku-5-5", usage: { input_tokens: long, output_tokens: 0 } })]),
    );
    expect(two.dollars).toBeCloseTo(2 * one.dollars, 12);
    expect(two.inputTokens).toBe(2 * long);
    const longer = accountOf([
      call({ model: "claude-haiku-5-5", usage: { input_tokens: 2 * long, output_tokens: 0 } }),
    ]);
    expect(accountTotal(longer).dollars).toBeGreaterThan(two.dollars);
  });

  it("knows what inference in one country costs more", () => {
    const usage = { input_tokens: MILLION, output_tokens: 0, inference_geo: "us" };
    expect(accountTotal(accountOf([call({ usage })])).dollars).toBeCloseTo(5.5, 12);
  });

  const figure = fc.oneof(
    { weight: 4, arbitrary: fc.nat(1_000_000) },
    fc.constantFrom(null, undefined, Number.NaN, -5, "7", Infinity),
  );
  const calls = fc.array(
    fc.record({
      source: fc.constantFrom("sdk", "compact", "session_memory", "agent:general", "__proto__"),
      model: fc.constantFrom(...models.slice(0, 4).map(({ id }) => id), "somebody-else-1", "", "__proto__"),
      usage: fc.record({
        input_tokens: figure,
        output_tokens: figure,
        cache_read_input_tokens: figure,
        cache_creation_input_tokens: figure,
      }),
      estimated: fc.constantFrom(undefined, "output", "all"),
    }),
    { maxLength: 30 },
  );

  it("property: lines, models and sources add up to the same total, whatever the order", () => {
    fc.assert(
      fc.property(calls, fc.nat(), (given, seed) => {
        const list = given.map(({ estimated, ...rest }) =>
          estimated === undefined ? rest : { ...rest, estimated },
        ) as BilledCall[];
        const account = accountOf(list);
        const before = JSON.stringify(account);
        const total = accountTotal(account);
        const sum = (of: Iterable<{ readonly inputTokens: number; readonly calls: number }>) => {
          const parts = [...of];
          return {
            tokens: parts.reduce((tokens, { inputTokens }) => tokens + inputTokens, 0),
            count: parts.reduce((count, one) => count + one.calls, 0),
          };
        };
        for (const parts of [
          account.lines,
          accountByModel(account).values(),
          accountBySource(account).values(),
        ]) {
          expect(sum(parts)).toEqual({ tokens: total.inputTokens, count: list.length });
        }
        expect(total.estimated.calls).toBe(list.filter(({ estimated }) => estimated !== undefined).length);
        expect(total.dollars).toBeGreaterThanOrEqual(total.estimated.dollars);
        expect(total.dollars).not.toBeNaN();
        const at = list.length === 0 ? 0 : seed % list.length;
        const other = accountTotal(accountOf([...list.slice(at), ...list.slice(0, at)]));
        expect({ ...other, dollars: 0, estimated: 0 }).toEqual({ ...total, dollars: 0, estimated: 0 });
        expect(other.dollars).toBeCloseTo(total.dollars, 8);
        addCall(account, call());
        expect(JSON.stringify(account)).toBe(before);
      }),
    );
    expect(accountTotal(emptyAccount)).toMatchObject({ calls: 0, dollars: 0 });
  });
});
