import { describe, expect, it } from "vitest";
import { normalise } from "../../messages/normalise/normaliser.js";
import { findModel } from "../../models/table.js";
import {
  applyCached,
  decideCached,
  noCachedEdits,
  noteCacheReport,
  type CachedEdits,
} from "./cached-edits.js";
import { endOfRequest, placeCachedEdits } from "./cached-edits-request.js";
import { readStateWith } from "../restore/testing/read-states.js";
import { contextOf, sizeOf } from "./testing/context.js";
import { createSample } from "../tools/testing/sample.js";

const conversation = (count: number) => {
  const sample = createSample();
  const rounds = Array.from({ length: count }, () => sample.round({ calls: [{}] }));
  return { sample, messages: [sample.user("begin"), ...rounds.flat()] };
};
const decide = (messages: ReturnType<typeof conversation>["messages"], state: CachedEdits = noCachedEdits) =>
  decideCached({ ...contextOf(messages), state, canEditCache: true });

describe("deletions inside the provider's cache", () => {
  it("start at twelve active results and leave five", () => {
    expect(decide(conversation(11).messages)).toMatchObject({ reason: "below-trigger" });
    const { messages } = conversation(12);
    expect(decide(messages)).toMatchObject({
      kind: "clear",
      variant: "cached",
      results: { length: 7 },
      tokensBefore: sizeOf(messages),
      tokensAfter: sizeOf(messages) - 7000,
    });
    expect(decideCached({ ...contextOf(messages), state: noCachedEdits, canEditCache: false })).toMatchObject(
      {
        reason: "not-supported",
      },
    );
  });

  it("cost nothing: what stands behind stays cached", () => {
    const model = findModel("claude-opus-5");
    if (model === undefined) throw new Error("no model");
    const cost = { prices: model.prices, cache: { state: "warm", ttl: "5m" } as const };
    const context = {
      ...contextOf(conversation(12).messages),
      cost,
      state: noCachedEdits,
      canEditCache: true,
    };
    expect(decideCached(context)).toMatchObject({ cost: { pays: true, spent: 0, cacheTokensLost: 0 } });
  });

  it("are pinned, never repeated, and leave the messages as they are", () => {
    const { sample, messages } = conversation(12);
    const plan = decide(messages);
    if (plan.kind !== "clear") throw new Error(plan.reason);
    const request = normalise(messages).messages;
    const position = endOfRequest(request);
    if (position === undefined) throw new Error("no user message");
    const readState = readStateWith(["/toolu_1", "/toolu_12"]);
    const applied = applyCached(noCachedEdits, plan, { position, origin: sample.origin(), readState });
    expect(applied.notice).toEqual({ deletedTokens: 7000, keepsPrefix: true });
    expect(applied.boundary.microcompactMetadata).toMatchObject({ variant: "cached", pinnedAt: position });
    expect([readState.has("/toolu_1"), readState.has("/toolu_12")]).toEqual([false, true]);
    const later = [...messages, applied.boundary, ...sample.round({ calls: [{}], says: "and" })];
    expect(decide(later, applied.state)).toMatchObject({ reason: "below-trigger" });
    const sent = placeCachedEdits(request, applied.state);
    const again = placeCachedEdits(normalise(later).messages, applied.state);
    expect(JSON.stringify(again.slice(0, sent.length))).toBe(JSON.stringify(sent));
    expect(sent.at(-1)?.content.at(-1)).toEqual({
      type: "cache_edits",
      edits: plan.results.map(({ id }) => ({ type: "delete", cache_reference: id })),
    });
    const more = [...later, ...Array.from({ length: 6 }, () => sample.round({ calls: [{}] })).flat()];
    const second = decide(more, applied.state);
    expect(second).toMatchObject({ kind: "clear", results: { length: 7 } });
    if (second.kind === "clear") expect(second.results[0]?.id).toBe("toolu_8");
  });
});

describe("what responses say", () => {
  const state: CachedEdits = {
    ...noCachedEdits,
    deleted: new Set(["a"]),
    pinned: [{ position: { message: 2, block: 1 }, toolUseIds: ["a"] }],
    expectedDrop: 7000,
    leftCached: 50_000,
  };

  it("an announced drop is no expiry", () => {
    const first = noteCacheReport(state, { read: 42_500, written: 1000, deleted: 7500 });
    expect(first.stale).toBe(false);
    const second = noteCacheReport(first.state, { read: 43_500, written: 1000, deleted: 7500 });
    expect(second).toMatchObject({ stale: false, state: { pinned: state.pinned, leftCached: 44_500 } });
    expect(noteCacheReport(state, { read: 42_000, written: 10 }).stale).toBe(false);
  });

  it("an unexpected one makes the edits stale", () => {
    const { stale, state: after } = noteCacheReport(state, { read: 0, written: 50_000 });
    expect(stale).toBe(true);
    expect(after).toEqual({ ...noCachedEdits, leftCached: 50_000 });
    const seen = noteCacheReport(state, { read: 42_500, written: 0, deleted: 7500 }).state;
    expect(noteCacheReport(seen, { read: 30_000, written: 0, deleted: 7500 }).stale).toBe(true);
  });

  it("without edits nothing can be stale", () => {
    expect(noteCacheReport({ ...noCachedEdits, leftCached: 50_000 }, { read: 0, written: 1 }).stale).toBe(
      false,
    );
  });
});
