import fc from "fast-check";
import { expect, it } from "vitest";
import { models } from "../../../models/table.js";
import { addRequest, noEvidence, type SpacedRequest } from "./gap-evidence.js";
import { addToHistory, noGapHistory } from "./gap-history.js";
import { compareTtls } from "./ttl-comparison.js";
import { defaultSettings } from "../../settings/settings.js";
import { MINUTE, toRequest, type GappedRequest } from "./testing/spaced-requests.js";
import { freshTtlState, latchTtl, reconsiderTtl, ttlsFor, type TtlFacts } from "./ttl-state.js";

const RUNS = 2000;
const numbers = fc.tuple(fc.nat(), fc.nat({ max: 500_000 }), fc.nat({ max: 60_000 }));
const gappedRequest = numbers.map(toRequest);
const prices = fc.constantFrom(...models.map((model) => model.prices));
const source = fc.constantFrom(
  "repl_main_thread",
  "repl_main_thread:x",
  "sdk",
  "agent:a",
  "helper",
  "compact",
);
const facts = fc.record({
  source,
  prices,
  account: fc.record({ isEligible: fc.boolean(), isInOverage: fc.boolean() }),
  settings: fc.record({
    cacheTtl: fc.constantFrom("auto" as const, "5m" as const, "1h" as const),
    cacheTtlSources: fc.oneof(
      fc.constant(defaultSettings.cacheTtlSources),
      fc.array(fc.string({ maxLength: 5 })),
      fc.constant(["*"]),
    ),
  }),
  capabilities: fc.record({ ttls: fc.subarray(["5m" as const, "1h" as const]) }),
});

const evidenceOf = (requests: readonly SpacedRequest[]) => requests.reduce(addRequest, noEvidence);

it("an hour is never given against the account, the provider, the list or the setting", () => {
  fc.assert(
    fc.property(facts, source, fc.array(gappedRequest, { maxLength: 20 }), (facts, asking, requests) => {
      const state = latchTtl({ ...freshTtlState, evidence: evidenceOf(requests) }, facts);
      for (const after of [state, reconsiderTtl(state, { ...facts, headTokens: 1000 })]) {
        const { shared, own } = ttlsFor(after, asking);
        expect(shared === "5m" && own === "1h").toBe(false);
        if (shared === "5m") continue;
        expect(facts.capabilities.ttls).toContain("1h");
        expect(facts.settings.cacheTtl).not.toBe("5m");
        if (facts.settings.cacheTtl === "auto")
          expect(facts.account).toEqual({ isEligible: true, isInOverage: false });
      }
    }),
    { numRuns: RUNS },
  );
});

it("whatever the facts become, what was latched stays", () => {
  fc.assert(
    fc.property(facts, facts, source, (first, later, asking) => {
      const state = latchTtl(freshTtlState, first);
      expect(latchTtl(state, later)).toBe(state);
      expect(ttlsFor(latchTtl(state, later), asking)).toEqual(ttlsFor(state, asking));
    }),
    { numRuns: RUNS },
  );
});

it("more pauses that an hour outlives never turn an hour into five minutes", () => {
  const moved = fc.record({
    request: gappedRequest,
    isMoved: fc.boolean(),
    to: fc.integer({ min: 5, max: 59 }),
  });
  fc.assert(
    fc.property(
      fc.array(moved, { maxLength: 40 }),
      fc.array(gappedRequest, { maxLength: 40 }),
      facts,
      fc.nat({ max: 60_000 }),
      (moves, earlier, given, headTokens) => {
        const history = addToHistory(noGapHistory, { source: given.source, evidence: evidenceOf(earlier) });
        const facts: TtlFacts = { ...given, history };
        const pausing = ({ request, isMoved, to }: (typeof moves)[number]): GappedRequest =>
          isMoved ? { ...request, gap: to * MINUTE } : request;
        const before = { ...freshTtlState, evidence: evidenceOf(moves.map(({ request }) => request)) };
        const after = { ...freshTtlState, evidence: evidenceOf(moves.map(pausing)) };
        const decided = (state: typeof before) => latchTtl(state, facts).latched.decision.ttl;
        if (decided(before) === "1h") expect(decided(after)).toBe("1h");
        // and the same at a compaction, from the same decision
        const { latched } = latchTtl(before, facts);
        const again = (state: typeof before) =>
          reconsiderTtl({ ...state, latched }, { ...facts, headTokens }).latched.decision.ttl;
        if (again(before) === "1h") expect(again(after)).toBe("1h");
      },
    ),
    { numRuns: RUNS },
  );
});

it("whatever a user's habits, twenty conversations cost little more than with the better lifetime", () => {
  const habit = fc.record({
    pauseEvery: fc.constantFrom(3, 10, 30, 100, 1000),
    pauseMinutes: fc.constantFrom(6, 20, 50, 90),
    growth: fc.integer({ min: 300, max: 4000 }),
    requests: fc.integer({ min: 20, max: 150 }),
  });
  fc.assert(
    fc.property(habit, ({ pauseEvery, pauseMinutes, growth, requests }) => {
      const totals = { "5m": 0, "1h": 0, chosen: 0 };
      let history = noGapHistory;
      let at = 0;
      let count = 0;
      for (let conversation = 0; conversation < 20; conversation += 1) {
        const recorded = Array.from({ length: requests }, (_, index) => {
          count += 1;
          at += count % pauseEvery === 0 ? pauseMinutes * MINUTE : 15_000;
          const prefixTokens = index === 0 ? 0 : 30_000 + index * growth;
          const newTokens = index === 0 ? 30_000 + growth : growth;
          return { at, prefixTokens, newTokens, model: "claude-opus-5", followsCompaction: false };
        });
        const { always, chosen, evidence } = compareTtls(recorded, { history });
        history = addToHistory(history, { source: "repl_main_thread", evidence });
        totals["5m"] += always["5m"];
        totals["1h"] += always["1h"];
        totals.chosen += chosen;
      }
      expect(totals.chosen).toBeLessThan(1.15 * Math.min(totals["5m"], totals["1h"]));
    }),
    { numRuns: 100 },
  );
});
