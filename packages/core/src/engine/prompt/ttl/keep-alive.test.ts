import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { models } from "../../../models/table.js";
import { addRequest, gapsLongerThan, noEvidence, type GapEvidence } from "./gap-evidence.js";
import { attendedPrior } from "./gap-prior.js";
import { relativePrices } from "./expected-cost.js";
import { defaultSettings } from "../../settings/settings.js";
import { decideKeepAlive, type KeepAliveFacts } from "./keep-alive.js";
import { MINUTE, toConversation } from "./testing/spaced-requests.js";

const numbers = fc.tuple(fc.nat(), fc.nat({ max: 500_000 }), fc.nat({ max: 60_000 }));
const conversation = fc.array(numbers, { maxLength: 60 }).map(toConversation);

const settings = { ...defaultSettings, cacheKeepAlive: true };
const pausing: KeepAliveFacts = {
  settings,
  ttl: "5m",
  now: 4.5 * MINUTE,
  lastRequestAt: 0,
  pingsSoFar: 0,
  cachedTokens: 150_000,
  prices: relativePrices,
  gaps: attendedPrior,
};

/** A user who always comes back after as many minutes. */
const always = (minutes: number): GapEvidence =>
  Array.from({ length: 100 }, () => ({
    gap: minutes * MINUTE,
    prefixTokens: 100_000,
    newTokens: 1000,
  })).reduce(addRequest, noEvidence);

/** Goes through a pause that does not end, and tells when pings went out and why they stopped. */
function sitThrough(facts: Omit<KeepAliveFacts, "now" | "pingsSoFar" | "lastPingAt">) {
  const pings: number[] = [];
  let now = facts.lastRequestAt;
  for (;;) {
    const last = pings.at(-1);
    const lastPing = last === undefined ? {} : { lastPingAt: last };
    const decision = decideKeepAlive({ ...facts, ...lastPing, now, pingsSoFar: pings.length });
    if (decision.kind === "stop") return { pings, reason: decision.reason };
    if (decision.kind === "wait") {
      expect(decision.until).toBeGreaterThan(now);
      now = decision.until;
    } else pings.push(now);
  }
}

describe("keeping a pausing conversation's prefix cached", () => {
  it("is off unless somebody wants it", () => {
    expect(decideKeepAlive({ ...pausing, settings: defaultSettings })).toEqual({
      kind: "stop",
      reason: "off",
    });
  });

  it("waits until shortly before the end", () => {
    expect(decideKeepAlive({ ...pausing, now: 0 })).toEqual({ kind: "wait", until: 4.5 * MINUTE });
    expect(decideKeepAlive({ ...pausing, now: 4.4 * MINUTE, ttl: "1h" })).toEqual({
      kind: "wait",
      until: 57 * MINUTE,
    });
  });

  it("pings where the pause is likely to end in the time that this wins", () => {
    expect(decideKeepAlive(pausing)).toMatchObject({ kind: "ping" });
    expect(decideKeepAlive({ ...pausing, gaps: always(7) })).toMatchObject({
      kind: "ping",
      plan: { pings: 1 },
    });
    expect(decideKeepAlive({ ...pausing, gaps: always(22) })).toMatchObject({ kind: "ping" });
  });

  it("does not where it is not", () => {
    const stop = { kind: "stop", reason: "does-not-pay" };
    expect(decideKeepAlive({ ...pausing, gaps: always(3) })).toEqual(stop);
    expect(decideKeepAlive({ ...pausing, gaps: always(600) })).toEqual(stop);
    expect(decideKeepAlive({ ...pausing, gaps: noEvidence })).toEqual(stop);
    expect(decideKeepAlive({ ...pausing, gaps: { ...noEvidence, conversations: 5 } })).toEqual(stop);
  });

  it("a pause of an hour is not worth a dozen pings, unless reading is cheaper", () => {
    const gaps = always(58);
    expect(decideKeepAlive({ ...pausing, gaps })).toMatchObject({ kind: "stop" });
    expect(
      decideKeepAlive({ ...pausing, gaps, prices: { ...relativePrices, cacheRead: 0.025 } }),
    ).toMatchObject({ kind: "ping", plan: { pings: 12 } });
  });

  it("stops where there is nothing to keep, or no longer", () => {
    expect(decideKeepAlive({ ...pausing, cachedTokens: 0 })).toMatchObject({ reason: "nothing-cached" });
    expect(decideKeepAlive({ ...pausing, cachedTokens: Number.NaN })).toMatchObject({ kind: "stop" });
    expect(decideKeepAlive({ ...pausing, now: 5 * MINUTE })).toMatchObject({ reason: "expired" });
    expect(decideKeepAlive({ ...pausing, now: Number.NaN })).toMatchObject({ reason: "expired" });
    // a computer that slept
    expect(
      decideKeepAlive({ ...pausing, now: 500 * MINUTE, lastPingAt: 9 * MINUTE, pingsSoFar: 2 }),
    ).toMatchObject({ reason: "expired" });
  });

  it("stops at the cap", () => {
    const gaps = always(59);
    const prices = { ...relativePrices, cacheRead: 0.001 };
    const few = { ...settings, cacheKeepAlivePings: 3 };
    expect(sitThrough({ ...pausing, gaps, prices, settings }).pings).toHaveLength(12);
    expect(decideKeepAlive({ ...pausing, pingsSoFar: 3, settings: few })).toMatchObject({
      reason: "cap-reached",
    });
    expect(decideKeepAlive({ ...pausing, settings: { ...settings, cacheKeepAlivePings: 0 } })).toMatchObject({
      reason: "cap-reached",
    });
  });

  it("a margin that makes no sense is put right", () => {
    for (const margin of [-1, 0, 1e12]) {
      const odd = { ...settings, cacheKeepAliveMargin5m: margin, cacheKeepAliveMargin1h: margin };
      const decision = decideKeepAlive({ ...pausing, now: 0, settings: odd });
      expect(decision).toEqual({ kind: "wait", until: margin > 0 ? 2.5 * MINUTE : 5 * MINUTE - 1000 });
    }
  });
});

/** A summary of those 150,000 tokens, in the same prices. */
const summary = { dollars: (150_000 * 0.1 + 3500 * 5) / 1_000_000, tokensAfter: 25_000 };

describe("where a compaction could be prepared", () => {
  it("it is, shortly before the end, for a pause that is likely to last", () => {
    const away = { ...pausing, gaps: always(600), summary };
    expect(decideKeepAlive({ ...away, now: 0 })).toEqual({ kind: "wait", until: 4.5 * MINUTE });
    expect(decideKeepAlive(away)).toMatchObject({ kind: "prepare", plan: { cost: summary.dollars } });
    expect(decideKeepAlive({ ...away, now: 5 * MINUTE })).toMatchObject({ reason: "expired" });
  });

  it("keep-alives go on where the pause is likely to end soon, and the last warm minute comes after them", () => {
    expect(decideKeepAlive({ ...pausing, gaps: always(7), summary })).toMatchObject({ kind: "ping" });
    const later = { ...pausing, gaps: always(600), summary, lastPingAt: 4.5 * MINUTE, pingsSoFar: 1 };
    expect(decideKeepAlive({ ...later, now: 5 * MINUTE })).toEqual({ kind: "wait", until: 9 * MINUTE });
    expect(decideKeepAlive({ ...later, now: 9 * MINUTE })).toMatchObject({ kind: "prepare" });
    // Also where there can be no more keep-alives.
    const capped = { ...later, settings: { ...settings, cacheKeepAlivePings: 1 } };
    expect(decideKeepAlive({ ...capped, now: 5 * MINUTE })).toEqual({ kind: "wait", until: 9 * MINUTE });
    expect(decideKeepAlive({ ...capped, now: 9 * MINUTE })).toMatchObject({ kind: "prepare" });
  });

  it("it is not for a pause that is not, nor where too little would be gone, nor without the dollars", () => {
    expect(decideKeepAlive({ ...pausing, gaps: always(3), summary })).toMatchObject({ kind: "stop" });
    const away = { ...pausing, gaps: always(600) };
    for (const bad of [
      { ...summary, tokensAfter: 145_000 },
      { ...summary, dollars: 1 },
      { dollars: Number.NaN, tokensAfter: Number.NaN },
    ])
      expect(decideKeepAlive({ ...away, summary: bad })).toMatchObject({ reason: "does-not-pay" });
    expect(decideKeepAlive({ ...away, summary, dollarsLeft: summary.dollars / 2 })).toMatchObject({
      kind: "stop",
    });
    expect(decideKeepAlive({ ...away, summary, settings: defaultSettings })).toMatchObject({ reason: "off" });
  });

  it("keep-alives leave it its dollars", () => {
    const ping = (150_000 * 0.1 + 5) / 1_000_000;
    const soon = { ...pausing, gaps: always(7), summary };
    expect(decideKeepAlive({ ...soon, dollarsLeft: summary.dollars + 0.9 * ping })).not.toMatchObject({
      kind: "ping",
    });
    expect(decideKeepAlive({ ...soon, dollarsLeft: summary.dollars + 1.1 * ping })).toMatchObject({
      kind: "ping",
    });
    expect(decideKeepAlive({ ...soon, dollarsLeft: 0.9 * ping })).toMatchObject({ reason: "cap-reached" });
  });
});

describe("whatever the history", () => {
  const facts = fc.record({
    settings: fc.record({
      cacheKeepAlive: fc.constant(true),
      cacheKeepAlivePings: fc.nat({ max: 30 }),
      cacheKeepAliveMargin5m: fc.nat({ max: 400_000 }),
      cacheKeepAliveMargin1h: fc.nat({ max: 400_000 }),
    }),
    ttl: fc.constantFrom("5m" as const, "1h" as const),
    lastRequestAt: fc.nat({ max: 1e9 }),
    cachedTokens: fc.nat({ max: 1_000_000 }),
    prices: fc.constantFrom(...models.map((model) => model.prices)),
    gaps: fc
      .array(conversation, { maxLength: 5 })
      .map((conversations) => conversations.flat().reduce(addRequest, noEvidence)),
  });

  it("never more pings than the cap, never one after the end, and an end to every pause", () => {
    fc.assert(
      fc.property(facts, (facts) => {
        const { pings } = sitThrough(facts);
        expect(pings.length).toBeLessThanOrEqual(facts.settings.cacheKeepAlivePings);
        const lifetime = facts.ttl === "5m" ? 5 * MINUTE : 60 * MINUTE;
        for (const [index, at] of pings.entries())
          expect(at - (pings[index - 1] ?? facts.lastRequestAt)).toBeLessThan(lifetime);
      }),
      { numRuns: 1000 },
    );
  });

  it("a ping's plan costs less than it saves, counted over the gaps one by one", () => {
    fc.assert(
      fc.property(facts, fc.nat({ max: 20 }), (facts, pingsSoFar) => {
        const lifetime = facts.ttl === "5m" ? 5 * MINUTE : 60 * MINUTE;
        const now = facts.lastRequestAt + lifetime - 1;
        const decision = decideKeepAlive({ ...facts, now, pingsSoFar });
        if (decision.kind !== "ping") return;
        const { pings, cost, saving } = decision.plan;
        expect(cost).toBeLessThan(saving);
        expect(pings + pingsSoFar).toBeLessThanOrEqual(facts.settings.cacheKeepAlivePings);
        // Each pause that is as long already, by quantiles: what its pings cost, and whether they spare a rewrite.
        const { cacheKeepAliveMargin1h: long, cacheKeepAliveMargin5m: short } = facts.settings;
        const margin = Math.min(lifetime / 2, Math.max(1000, facts.ttl === "1h" ? long : short));
        const { cacheRead, output, input } = facts.prices;
        const write = input * (facts.ttl === "5m" ? 1.25 : 2);
        const ping = (facts.cachedTokens * cacheRead + output) / 1e6;
        const rewrite = (facts.cachedTokens * (write - cacheRead)) / 1e6;
        const idle = lifetime - 1;
        const share = (from: number, to: number) =>
          (gapsLongerThan(facts.gaps, from) - gapsLongerThan(facts.gaps, to)) /
          gapsLongerThan(facts.gaps, idle);
        let spent = 0;
        for (let number = 0; number < pings; number += 1)
          spent += (1 - share(idle, idle + number * (lifetime - margin))) * ping;
        const coveredUntil = idle + (pings - 1) * (lifetime - margin) + lifetime;
        expect(cost).toBeCloseTo(spent, 9);
        expect(saving).toBeCloseTo(share(lifetime, coveredUntil) * rewrite, 9);
      }),
      { numRuns: 2000 },
    );
  });

  it("pings and a summary never cost more than the dollars, and it is prepared once at most, before the end", () => {
    const offered = fc.record({
      dollars: fc.double({ min: 0, max: 1, noNaN: true }),
      tokensAfter: fc.nat({ max: 1_000_000 }),
    });
    let prepared = 0;
    fc.assert(
      fc.property(facts, offered, fc.double({ min: 0, max: 2, noNaN: true }), (given, offer, dollars) => {
        const { prices, cachedTokens, ttl } = given;
        const pingCost = (cachedTokens * prices.cacheRead + prices.output) / 1_000_000;
        const lifetime = ttl === "5m" ? 5 * MINUTE : 60 * MINUTE;
        let spent = 0;
        let pings = 0;
        let last = given.lastRequestAt;
        for (let now = last, isOver = false; !isOver;) {
          const lastPing = last === given.lastRequestAt ? {} : { lastPingAt: last };
          const left = { dollarsLeft: dollars - spent, summary: offer };
          const decision = decideKeepAlive({ ...given, ...lastPing, ...left, now, pingsSoFar: pings });
          if (decision.kind === "wait") now = decision.until;
          else if (decision.kind === "ping") {
            spent += pingCost;
            pings += 1;
            last = now;
          } else {
            isOver = true;
            if (decision.kind !== "prepare") continue;
            prepared += 1;
            spent += offer.dollars;
            expect(now).toBeLessThan(last + lifetime);
            expect(decision.plan.saving).toBeGreaterThan(decision.plan.cost);
            expect(offer.tokensAfter).toBeLessThan(cachedTokens);
          }
        }
        expect(spent).toBeLessThanOrEqual(dollars + 1e-9);
        expect(pings).toBeLessThanOrEqual(given.settings.cacheKeepAlivePings);
      }),
      { numRuns: 1000 },
    );
    expect(prepared).toBeGreaterThan(0);
  });
});
