import { describe, expect, it } from "vitest";
import { createMemoryGapHistoryStore } from "./gap-history-store.js";
import { relativePrices } from "./expected-cost.js";
import { requestsSeen, noEvidence } from "./gap-evidence.js";
import type { GapHistory } from "./gap-history.js";
import { defaultSettings } from "../../settings/settings.js";
import { MINUTE } from "./testing/spaced-requests.js";
import { createTtlPolicy, type TtlPolicy } from "./ttl-policy.js";
import type { TtlFacts } from "./ttl-state.js";

const facts: Omit<TtlFacts, "source" | "history"> = {
  account: { isEligible: true, isInOverage: false },
  settings: { cacheTtl: "auto", cacheTtlSources: defaultSettings.cacheTtlSources },
  capabilities: { ttls: ["5m", "1h"] },
  prices: relativePrices,
};

const policyWith = (
  change: Partial<typeof facts> = {},
  options: { readonly source?: string; readonly history?: GapHistory } = {},
): TtlPolicy =>
  createTtlPolicy({ source: "repl_main_thread", facts: () => ({ ...facts, ...change }), ...options });

/** As many requests, `gap` apart, each 2,000 tokens longer than the one before, until 60 are compacted. */
function converse(policy: TtlPolicy, { requests = 200, gap = 10_000, from = 0 } = {}): void {
  for (let index = 0; index < requests; index += 1)
    policy.noteRequest({
      at: from + index * gap,
      prefixTokens: index === 0 ? 0 : 40_000 + (index % 60) * 2000,
      newTokens: index === 0 ? 40_000 : 2000,
    });
}

describe("who has an hour", () => {
  it("a person of whom nothing is known: people pause", () => {
    const policy = policyWith();
    expect(policy.ttlFor("repl_main_thread")).toEqual({ shared: "1h", own: "1h" });
    const { reason, expected } = policy.decision();
    expect(reason).toBe("pays");
    expect(expected?.["1h"]).toBeLessThan(expected?.["5m"] ?? 0);
  });

  it.each([
    ["not eligible", { account: { isEligible: false, isInOverage: false } }, "not-eligible"],
    ["in overage", { account: { isEligible: true, isInOverage: true } }, "overage"],
    ["not offered", { capabilities: { ttls: ["5m"] } }, "not-offered"],
    ["a server that caches by itself", { capabilities: { ttls: [] } }, "not-offered"],
    ["not wanted", { settings: { cacheTtl: "5m", cacheTtlSources: ["*"] } }, "setting"],
    ["not listed", { settings: { cacheTtl: "auto", cacheTtlSources: ["sdk"] } }, "not-listed"],
    ["nobody listed", { settings: { cacheTtl: "1h", cacheTtlSources: [] } }, "not-listed"],
    [
      "opted in, not offered",
      { capabilities: { ttls: ["5m"] }, settings: { cacheTtl: "1h", cacheTtlSources: ["*"] } },
      "not-offered",
    ],
  ] as const)("nobody: %s", (_, change, reason) => {
    const policy = policyWith(change);
    expect(policy.decision()).toEqual({ ttl: "5m", reason });
    for (const source of ["repl_main_thread", "sdk", "agent:x", "compact", "session_memory"])
      expect(policy.ttlFor(source)).toEqual({ shared: "5m", own: "5m" });
  });

  it("whoever opts in, whatever the account", () => {
    const policy = policyWith({
      account: { isEligible: false, isInOverage: true },
      settings: { cacheTtl: "1h", cacheTtlSources: defaultSettings.cacheTtlSources },
    });
    expect(policy.decision()).toEqual({ ttl: "1h", reason: "setting" });
  });

  it("programs and subagents not before they are seen to pause", async () => {
    const store = createMemoryGapHistoryStore();
    const first = policyWith({}, { source: "agent:explore" });
    expect(first.decision()).toMatchObject({ ttl: "5m", reason: "does-not-pay" });
    converse(first, { requests: 60, gap: 15 * MINUTE });
    await first.remember(store);
    const history = await store.load();
    const later = policyWith({}, { source: "agent:plan", ...(history && { history }) });
    expect(later.decision()).toMatchObject({ ttl: "1h", reason: "pays" });
  });

  it("forks of their own kind have five minutes for what is theirs, and leave shared markers as they are", () => {
    const policy = policyWith();
    expect(policy.ttlFor("session_memory")).toEqual({ shared: "1h", own: "5m" });
    expect(policy.ttlFor("agent:explore")).toEqual({ shared: "1h", own: "1h" });
    expect(policy.ttlFor("compact")).toEqual({ shared: "1h", own: "1h" });
  });

  it("a summary is written for the conversation, whoever has it", () => {
    const settings = { cacheTtl: "1h", cacheTtlSources: ["sdk"] } as const;
    const policy = policyWith({ settings }, { source: "sdk" });
    expect(policy.ttlFor("compact")).toEqual({ shared: "1h", own: "1h" });
    expect(policy.ttlFor("repl_main_thread")).toEqual({ shared: "1h", own: "5m" });
  });

  it("is not known before the first use, and that is the only time it is asked", () => {
    let asked = 0;
    const policy = createTtlPolicy({
      source: "sdk",
      facts: () => {
        asked += 1;
        return facts;
      },
    });
    converse(policy);
    expect(asked).toBe(0);
    policy.ttlFor("sdk");
    policy.decision();
    policy.ttlFor("other");
    expect(asked).toBe(1);
  });
});

describe("a decision", () => {
  const changed = [
    { account: { isEligible: false, isInOverage: true } },
    { settings: { cacheTtl: "5m", cacheTtlSources: defaultSettings.cacheTtlSources } },
    { settings: { cacheTtl: "auto", cacheTtlSources: [] } },
    { capabilities: { ttls: ["5m"] } },
  ] as const;

  it("is latched: nothing that changes later changes it", () => {
    for (const change of changed) {
      let now: typeof facts = facts;
      const policy = createTtlPolicy({ source: "repl_main_thread", facts: () => now });
      policy.ttlFor("repl_main_thread");
      now = { ...facts, ...change };
      converse(policy);
      expect(policy.ttlFor("repl_main_thread")).toEqual({ shared: "1h", own: "1h" });
      expect(policy.ttlFor("session_memory")).toEqual({ shared: "1h", own: "5m" });
    }
  });

  it("is latched the other way too: who was not eligible is not, even behind a compaction", () => {
    for (const change of changed) {
      let now: typeof facts = { ...facts, ...change };
      const policy = createTtlPolicy({ source: "repl_main_thread", facts: () => now });
      expect(policy.decision().ttl).toBe("5m");
      now = facts;
      converse(policy, { gap: 10 * MINUTE });
      expect(policy.ttlFor("repl_main_thread").shared).toBe("5m");
      expect(policy.reconsider({ headTokens: 0 }).ttl).toBe("5m");
    }
  });

  it("latches the list as it was, whoever edits it", () => {
    const cacheTtlSources = ["repl_main_thread", "helper"];
    const policy = policyWith({ settings: { cacheTtl: "auto", cacheTtlSources } });
    policy.decision();
    cacheTtlSources.pop();
    expect(policy.ttlFor("helper").own).toBe("1h");
  });

  it("is made again at a compaction, with what was seen since", () => {
    const policy = policyWith();
    policy.decision();
    converse(policy, { requests: 900 });
    expect(policy.ttlFor("repl_main_thread").shared).toBe("1h");
    expect(policy.reconsider({ headTokens: 20_000 })).toMatchObject({ ttl: "5m", reason: "does-not-pay" });
    converse(policy, { requests: 60, gap: 20 * MINUTE, from: 900 * 10_000 });
    expect(policy.ttlFor("repl_main_thread").shared).toBe("5m");
    expect(policy.reconsider({ headTokens: 20_000 })).toMatchObject({ ttl: "1h", reason: "pays" });
  });

  it("what this conversation shows counts more than what is assumed: a hundred requests without a pause are a program's", () => {
    const after = (pauses: number): string => {
      const policy = policyWith();
      policy.decision();
      converse(policy, { requests: 100 });
      converse(policy, { requests: pauses + 1, gap: 10 * MINUTE, from: 100 * 10_000 });
      return policy.reconsider({ headTokens: 20_000 }).ttl;
    };
    expect([0, 1, 4].map(after)).toEqual(["5m", "5m", "1h"]);
  });

  it("is not made again where writing tools and system anew costs more than it saves", () => {
    const costOfStaying = (headTokens: number) => {
      const policy = policyWith();
      policy.decision();
      converse(policy, { requests: 900 });
      return policy.reconsider({ headTokens });
    };
    const { expected = { "5m": 0, "1h": 0 } } = costOfStaying(0);
    const gain = expected["1h"] - expected["5m"];
    expect(gain).toBeGreaterThan(0);
    const least = (gain / 1.15) * 1e6;
    expect(costOfStaying(least * 0.99).ttl).toBe("5m");
    expect(costOfStaying(least * 1.01).ttl).toBe("1h");
  });

  it("of a conversation that goes on is what it was", () => {
    const first = policyWith();
    first.decision();
    converse(first);
    const account = { isEligible: false, isInOverage: false };
    const resumed = createTtlPolicy({
      source: "repl_main_thread",
      facts: () => ({ ...facts, account }),
      state: first.state(),
    });
    expect(resumed.ttlFor("repl_main_thread")).toEqual({ shared: "1h", own: "1h" });
    expect(requestsSeen(resumed.state().evidence)).toBe(200);
  });
});

describe("what a policy learns", () => {
  it("a few conversations without a pause outweigh what is assumed; one with pauses tells at once", async () => {
    const store = createMemoryGapHistoryStore();
    const chosen: string[] = [];
    for (const gap of [9000, 9000, 9000, 9000, 9000, 9000, 12 * MINUTE, 9000]) {
      const history = await store.load();
      const policy = policyWith({}, history && { history });
      chosen.push(policy.decision().ttl);
      converse(policy, { requests: 170, gap });
      await policy.remember(store);
    }
    expect(chosen.slice(0, 2)).toEqual(["1h", "1h"]);
    expect(chosen.slice(4, 7)).toEqual(["5m", "5m", "5m"]);
    expect(chosen[7]).toBe("1h");
  });

  it("is remembered once, however often it is saved and whoever saves beside it", async () => {
    const store = createMemoryGapHistoryStore();
    const [one, other] = [policyWith(), policyWith()];
    converse(one, { requests: 10 });
    converse(other, { requests: 7 });
    await Promise.all([one.remember(store), one.remember(store)]);
    await other.remember(store);
    await one.remember(store);
    converse(one, { requests: 5, from: 1e6 });
    await one.remember(store);
    const seen = (await store.load())?.sources["repl_main_thread"] ?? noEvidence;
    expect(requestsSeen(seen)).toBeCloseTo(22, 0);
    expect(seen.conversations).toBeCloseTo(2, 1);
  });

  it("is kept for the next time where a store fails", async () => {
    const store = createMemoryGapHistoryStore();
    const policy = policyWith();
    converse(policy, { requests: 10 });
    const failing = { ...store, save: () => Promise.reject(new Error("disk full")) };
    await expect(policy.remember(failing)).rejects.toThrow("disk full");
    await policy.remember(store);
    expect(requestsSeen((await store.load())?.sources["repl_main_thread"] ?? noEvidence)).toBe(10);
  });

  it("forks refresh the prefix: the gap is counted from them", () => {
    const policy = policyWith();
    policy.noteRequest({ at: 0, prefixTokens: 0, newTokens: 1000 });
    policy.noteRequest({ at: 4 * MINUTE, prefixTokens: 1000, newTokens: 0 });
    policy.noteRequest({ at: 8 * MINUTE, prefixTokens: 1000, newTokens: 10 });
    const longest = policy.state().evidence.gaps.findLastIndex(({ count }) => count > 0);
    expect(policy.state().evidence.gaps[longest]).toEqual({ count: 2, prefixTokens: 2000, newTokens: 10 });
  });

  it("a clock that goes back or breaks does no harm", () => {
    const policy = policyWith();
    for (const at of [1000, 500, Number.NaN, 2000])
      policy.noteRequest({ at, prefixTokens: 10, newTokens: 1 });
    expect(policy.state().evidence.gaps[0]?.count).toBe(2);
    expect(policy.state().lastRequestAt).toBe(2000);
  });
});
