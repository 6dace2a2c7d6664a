import { describe, expect, it } from "vitest";
import { createEventEmitter } from "../events/emitter.js";
import type { EngineEvents } from "../events/engine-events.js";
import { findModel } from "../../models/table.js";
import type { ClearDecision, ClearPlan } from "./decision.js";
import { applyClearing } from "./local-clearing.js";
import { readStateWith } from "../restore/testing/read-states.js";
import { decideSizeBased } from "./size-based.js";
import { contextOf, sizeOf } from "./testing/context.js";
import { createSample, filler, SAMPLE_START } from "../tools/testing/sample.js";
import { decideTimeBased } from "./time-based.js";

const HOUR = 3_600_000;
const planned = (decision: ClearDecision): ClearPlan => {
  if (decision.kind !== "clear") throw new Error(decision.reason);
  return decision;
};
const ids = (plan: ClearPlan): readonly string[] => plan.results.map(({ id }) => id);

/** `count` rounds with one result of 1,000 tokens each, and a last word. */
const conversation = (count: number, tokens = 1000) => {
  const sample = createSample();
  const rounds = Array.from({ length: count }, (_, index) =>
    sample.round({ calls: [{ result: filler(`r${index}`, tokens) }] }),
  );
  return { sample, messages: [sample.user("begin"), ...rounds.flat(), ...sample.round({ text: "so" })] };
};

describe("time-based", () => {
  const late = { now: SAMPLE_START + HOUR + 1, isMainThread: true };

  it("after an hour clears all but the five newest", () => {
    const { messages } = conversation(8);
    const plan = planned(decideTimeBased({ ...contextOf(messages), ...late }));
    expect(ids(plan)).toEqual(["toolu_1", "toolu_2", "toolu_3"]);
    expect(plan).toMatchObject({ variant: "time-based", trigger: "auto", tokensBefore: sizeOf(messages) });
  });

  it.each([
    ["not-idle", { now: SAMPLE_START + HOUR }, {}, 8],
    ["not-main-thread", { isMainThread: false }, {}, 8],
    ["nothing-to-clear", {}, {}, 5],
    ["disabled", {}, { disableClearing: true }, 8],
    ["disabled", {}, { disableCompact: true }, 8],
  ])("%s", (reason, change, settings, count) => {
    const { messages } = conversation(count);
    const decision = decideTimeBased({ ...contextOf(messages, { settings }), ...late, ...change });
    expect(decision).toMatchObject({ kind: "keep", reason });
  });

  it("without any response there is nothing to wait for", () => {
    const { sample } = conversation(0);
    expect(decideTimeBased({ ...contextOf([sample.user("hi")]), ...late })).toMatchObject({
      reason: "not-idle",
    });
  });

  it("a cache that is known to be gone is as good as the pause", () => {
    const context = contextOf(conversation(8).messages);
    const decision = decideTimeBased({ ...context, ...late, now: SAMPLE_START + 1, isCacheExpired: true });
    expect(decision.kind).toBe("clear");
  });

  it("waits while a call lacks its result", () => {
    const { sample, messages } = conversation(8);
    const open = [...messages, ...sample.round({ calls: [{ result: null }] })];
    expect(decideTimeBased({ ...contextOf(open), ...late })).toMatchObject({ reason: "calls-pending" });
    expect(decideSizeBased({ ...contextOf(open), target: { tokens: 0 } })).toMatchObject({
      reason: "calls-pending",
    });
  });

  it("leaves what would not shrink", () => {
    const { messages } = conversation(8, 2);
    expect(decideTimeBased({ ...contextOf(messages), ...late })).toMatchObject({
      reason: "nothing-to-clear",
    });
  });

  it("a caller's own target is manual", () => {
    const { messages } = conversation(8);
    const plan = planned(decideTimeBased({ ...contextOf(messages), ...late, target: { keep: 1 } }));
    expect(plan).toMatchObject({ trigger: "manual", results: { length: 7 } });
  });

  it("an error counts like any other result", () => {
    const sample = createSample();
    const failed = Array.from({ length: 6 }, () => sample.round({ calls: [{ isError: true }] })).flat();
    const plan = planned(decideTimeBased({ ...contextOf([...failed, ...sample.round({})]), ...late }));
    expect(ids(plan)).toEqual(["toolu_1"]);
  });
});

describe("size-based", () => {
  it("frees down to the low watermark, oldest first", () => {
    const { messages } = conversation(70);
    const plan = planned(decideSizeBased(contextOf(messages)));
    expect(plan.results).toHaveLength(30);
    expect(ids(plan)[0]).toBe("toolu_1");
    expect(plan.tokensBefore - plan.tokensAfter).toBeGreaterThanOrEqual(20_000);
  });

  it("does nothing below the watermark, and nothing for a few tokens", () => {
    expect(decideSizeBased(contextOf(conversation(40).messages))).toMatchObject({ reason: "below-trigger" });
    expect(decideSizeBased(contextOf(conversation(55).messages))).toMatchObject({
      reason: "saves-too-little",
    });
  });

  it("keeps the three newest however large they are", () => {
    const { messages } = conversation(4, 30_000);
    expect(ids(planned(decideSizeBased(contextOf(messages))))).toEqual(["toolu_1"]);
    expect(decideSizeBased(contextOf(conversation(3, 30_000).messages))).toMatchObject({
      reason: "nothing-to-clear",
    });
  });

  it("what was read again goes first", () => {
    const sample = createSample();
    const read = (path: string) => ({ input: { file_path: path }, result: filler(path, 10_000) });
    const messages = [
      ...["/a", "/b", "/c", "/d", "/b", "/c", "/e", "/f", "/g"].flatMap((path) =>
        sample.round({ calls: [read(path)] }),
      ),
      ...sample.round({}),
    ];
    const plan = planned(decideSizeBased({ ...contextOf(messages), target: { tokens: 70_000 } }));
    expect(ids(plan)).toEqual(["toolu_2", "toolu_3"]);
    expect(plan).toMatchObject({ trigger: "manual", filesLost: [] });
  });

  it("does only what pays, unless the context is at its limit or somebody asked", () => {
    const { messages } = conversation(70);
    const model = findModel("claude-opus-5");
    if (model === undefined) throw new Error("no model");
    const cost = { prices: model.prices, cache: { state: "warm", ttl: "5m" } as const };
    const context = { ...contextOf(messages), cost: { ...cost, expectedRoundsLeft: 5 } };
    const decision = decideSizeBased(context);
    expect(decision).toMatchObject({ kind: "keep", reason: "does-not-pay", cost: { pays: false } });
    expect(decision.cost?.spent).toBeGreaterThan(decision.cost?.saved ?? 0);
    expect(decideSizeBased({ ...context, isPressed: true }).kind).toBe("clear");
    expect(decideSizeBased({ ...context, target: { tokens: 40_000 } }).kind).toBe("clear");
    expect(decideSizeBased({ ...context, cost: { ...cost, expectedRoundsLeft: 50 } }).kind).toBe("clear");
    const cold = { ...cost, cache: { state: "cold", ttl: "5m" } as const };
    expect(decideSizeBased({ ...context, cost: cold })).toMatchObject({
      kind: "clear",
      cost: { spent: 0, cacheTokensLost: 0 },
    });
  });

  it("the suffix is what stands behind the first change, after the change", () => {
    const { messages } = conversation(70);
    const model = findModel("claude-opus-5");
    if (model === undefined) throw new Error("no model");
    const cost = { prices: model.prices, cache: { state: "warm", ttl: "5m" } as const };
    const plan = planned(decideSizeBased({ ...contextOf(messages), cost, isPressed: true }));
    // what stands before: the first words and the first call
    expect(plan.cost?.suffix).toBe(plan.tokensAfter - sizeOf(messages.slice(0, 2)));
    expect(plan.cost?.cacheTokensLost).toBe(plan.tokensBefore - sizeOf(messages.slice(0, 2)));
  });
});

describe("applying", () => {
  const thinkingRounds = () => {
    const sample = createSample();
    const rounds = Array.from({ length: 6 }, (_, index) =>
      sample.round({ thinking: filler(`t${index}`, 100), calls: [{}] }),
    );
    return { sample, messages: [sample.user("begin"), ...rounds.flat(), ...sample.round({})] };
  };

  it("tells the boundary, the event, the read-state and break detection", () => {
    const { sample, messages } = conversation(8);
    const plan = planned(
      decideSizeBased({
        ...contextOf(messages),
        target: { tokens: 5000 },
        recallHint: (id) => `Recall ${id}.`,
      }),
    );
    const events = createEventEmitter();
    const seen: EngineEvents["clearing"][] = [];
    events.on("clearing", (event) => seen.push(event));
    const readState = readStateWith(["/toolu_1", "/toolu_2", "/toolu_8"]);
    const {
      messages: live,
      boundary,
      notice,
    } = applyClearing(messages, plan, {
      origin: sample.origin(),
      events,
      readState,
    });
    expect(seen).toEqual([
      {
        variant: "size-based",
        trigger: "manual",
        toolUseIds: ["toolu_1", "toolu_2", "toolu_3"],
        tokensBefore: plan.tokensBefore,
        tokensAfter: plan.tokensAfter,
      },
    ]);
    expect(boundary.microcompactMetadata).toMatchObject({
      ...seen[0],
      texts: { toolu_1: "[Old tool result content cleared] Recall toolu_1." },
    });
    expect(boundary).toMatchObject({ type: "system", subtype: "microcompact_boundary" });
    expect(sizeOf(live)).toBe(plan.tokensAfter);
    expect(notice).toEqual({ deletedTokens: plan.tokensBefore - plan.tokensAfter, keepsPrefix: false });
    expect(["/toolu_1", "/toolu_2", "/toolu_8"].map((path) => readState.has(path))).toEqual([
      false,
      false,
      true,
    ]);
  });

  it("models that bind thinking lose all of it behind the first change, and that has its price", () => {
    const { sample, messages } = thinkingRounds();
    const model = findModel("claude-opus-5-5");
    if (model === undefined) throw new Error("no model");
    const cost = { prices: model.prices, cache: { state: "cold", ttl: "5m" } as const };
    const context = { ...contextOf(messages, { model: model.id }), cost, target: { tokens: 4000 } };
    const plan = planned(decideSizeBased(context));
    expect(plan.thinking?.tokens).toBe(500);
    expect(plan.cost?.spent).toBeCloseTo((500 * 20) / 1e6);
    const { messages: live, boundary } = applyClearing(messages, plan, { origin: sample.origin() });
    expect(JSON.stringify(live).match(/"type":"thinking"/g)).toHaveLength(1);
    expect(boundary.microcompactMetadata.thinkingRemovedAfter).toBe(messages[1]?.uuid);
    expect(sizeOf(live)).toBe(plan.tokensAfter);
  });

  it("others keep it; of a model that nobody knows the safe thing is assumed", () => {
    const { messages } = thinkingRounds();
    const target = { tokens: 4000 };
    expect(planned(decideSizeBased({ ...contextOf(messages), target })).thinking).toBeUndefined();
    const unknown = { ...contextOf(messages), model: undefined, target };
    expect(planned(decideSizeBased(unknown)).thinking?.tokens).toBe(500);
  });
});
