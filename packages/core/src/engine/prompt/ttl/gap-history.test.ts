import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMemoryGapHistoryStore } from "./gap-history-store.js";
import { addRequest, gapBounds, noEvidence, requestsSeen } from "./gap-evidence.js";
import { addToHistory, noGapHistory, readGapHistory, seenBefore, type GapHistory } from "./gap-history.js";
import { attendedPrior } from "./gap-prior.js";
import { MINUTE, toConversation } from "./testing/spaced-requests.js";

const numbers = fc.tuple(fc.nat(), fc.nat({ max: 500_000 }), fc.nat({ max: 60_000 }));
const conversation = fc.array(numbers, { maxLength: 60 }).map(toConversation);

const pauses = (count: number) =>
  Array.from({ length: count }, () => ({ gap: 20 * MINUTE, prefixTokens: 1000, newTokens: 10 })).reduce(
    addRequest,
    noEvidence,
  );

describe("the history of gaps", () => {
  it("survives being stored", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom("repl_main_thread", "sdk", "agent:x", "__proto__"), conversation)),
        (conversations) => {
          const history = conversations.reduce<GapHistory>(
            (history, [source, requests]) =>
              addToHistory(history, { source, evidence: requests.reduce(addRequest, noEvidence) }),
            noGapHistory,
          );
          expect(readGapHistory(JSON.parse(JSON.stringify(history)))).toEqual(history);
          expect(Object.getPrototypeOf(history.sources)).toBe(Object.prototype);
        },
      ),
    );
  });

  it("keeps people, programs and subagents apart; a compaction is the main thread's", () => {
    let history = addToHistory(noGapHistory, { source: "repl_main_thread:style", evidence: pauses(3) });
    history = addToHistory(history, { source: "compact", evidence: pauses(4) });
    history = addToHistory(history, { source: "agent:explore", evidence: pauses(5) });
    history = addToHistory(history, { source: "agent:plan", evidence: noEvidence });
    expect(Object.keys(history.sources)).toEqual(["repl_main_thread", "agent"]);
    expect(seenBefore(history, "agent:other")).toEqual(pauses(5));
    expect(seenBefore(history, "sdk")).toBe(noEvidence);
    expect(requestsSeen(seenBefore(history, "compact"))).toBeCloseTo(7, 1);
  });

  it("fades, by the same measure in one piece or in several", () => {
    const before = addToHistory(noGapHistory, { source: "sdk", evidence: pauses(100) });
    const after = addToHistory(before, { source: "sdk", evidence: pauses(1000) });
    expect(requestsSeen(after.sources["sdk"] ?? noEvidence)).toBeCloseTo(1050);
    const many = Array.from({ length: 10_000 }).reduce<GapHistory>(
      (history) => addToHistory(history, { source: "sdk", evidence: pauses(1) }),
      before,
    );
    expect(requestsSeen(many.sources["sdk"] ?? noEvidence)).toBeLessThan(1500);
  });

  it("stays small", () => {
    const history = Array.from({ length: 200 }).reduce<GapHistory>(
      (history, _, index) => addToHistory(history, { source: `host-${index}`, evidence: pauses(1) }),
      noGapHistory,
    );
    expect(Object.keys(history.sources)).toHaveLength(16);
    expect(Object.keys(history.sources).at(-1)).toBe("host-199");
    const long = addToHistory(noGapHistory, { source: "x".repeat(10_000), evidence: pauses(1) });
    expect(JSON.stringify(long).length).toBeLessThan(2000);
  });

  it.each([
    null,
    undefined,
    7,
    "history",
    [],
    {},
    { version: 2, sources: {} },
    { version: 1 },
    { version: 1, sources: [] },
  ])("is none: %j", (value) => {
    expect(readGapHistory(value)).toBeUndefined();
  });

  it.each([
    ["no evidence", null],
    ["a list", []],
    ["too few buckets", { conversations: 1, firstTokens: 1, gaps: noEvidence.gaps.slice(1) }],
    [
      "too many buckets",
      { conversations: 1, firstTokens: 1, gaps: [...noEvidence.gaps, ...noEvidence.gaps] },
    ],
    ["a bucket that is none", { conversations: 1, firstTokens: 1, gaps: gapBounds.map(() => 4).concat(4) }],
    ["a negative sum", { ...noEvidence, conversations: -1 }],
    ["no number", { ...noEvidence, firstTokens: Number.NaN }],
    ["a text", { ...noEvidence, firstTokens: "12" }],
    ["beyond all measure", { ...noEvidence, conversations: 1e300 }],
  ])("leaves out %s", (_, evidence) => {
    const sources = { good: attendedPrior, bad: evidence };
    expect(readGapHistory({ version: 1, sources })).toEqual({ version: 1, sources: { good: attendedPrior } });
  });

  it("reads anything at all without throwing", () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        readGapHistory(value);
        readGapHistory({ version: 1, sources: value });
        readGapHistory({ version: 1, sources: { a: value, b: { ...noEvidence, gaps: value } } });
      }),
    );
  });

  it("is kept by a store", async () => {
    const store = createMemoryGapHistoryStore();
    expect(await store.load()).toBeUndefined();
    await store.save(noGapHistory);
    expect(await store.load()).toEqual(noGapHistory);
  });
});
