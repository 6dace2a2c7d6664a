import { describe, expect, it } from "vitest";
import { createAssistantMessage, createUserMessage } from "../../../messages/construct.js";
import type { Message, Usage } from "../../../messages/message.js";
import { sequentialIds } from "../../../testing/sequential-ids.js";
import { defaultSettings } from "../../settings/settings.js";
import { relativePrices } from "./expected-cost.js";
import { requestsSeen } from "./gap-evidence.js";
import { resumedTtlState } from "./resumed-ttl.js";
import { latchTtl, type TtlFacts } from "./ttl-state.js";

const ids = sequentialIds("m");
const at = (seconds: number) => ({
  clock: { now: () => seconds * 1000 },
  ids,
  sessionId: "s",
  parentUuid: null,
});

/** A round whose response tells what it wrote, and with which lifetime. */
const round = (seconds: number, creation: unknown): readonly Message[] => [
  createUserMessage(at(seconds), { content: "go on" }),
  createAssistantMessage(at(seconds + 5), {
    id: `r${seconds}`,
    model: "claude-opus-5",
    content: [{ type: "text", text: "so" }],
    usage: {
      input_tokens: 1,
      output_tokens: 9,
      cache_creation_input_tokens: 900,
      ...(creation === undefined ? {} : { cache_creation: creation }),
    } as Usage,
  }),
];

const hour = { ephemeral_1h_input_tokens: 900, ephemeral_5m_input_tokens: 0 };
const minutes = { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 900 };

const facts: TtlFacts = {
  source: "repl_main_thread",
  account: { isEligible: true, isInOverage: false },
  settings: { cacheTtl: "auto", cacheTtlSources: defaultSettings.cacheTtlSources },
  capabilities: { ttls: ["5m", "1h"] },
  prices: relativePrices,
};

const decided = (live: readonly Message[], change: Partial<TtlFacts> = {}) =>
  latchTtl(resumedTtlState(live, { ...facts, ...change }), { ...facts, ...change }).latched.decision;

describe("the lifetime of a conversation that goes on", () => {
  it("is the one its entries were last written with", () => {
    expect(decided([...round(0, minutes), ...round(60, hour)])).toEqual({ ttl: "1h", reason: "pays" });
    expect(decided([...round(0, hour), ...round(60, minutes)])).toEqual({
      ttl: "5m",
      reason: "does-not-pay",
    });
    // One that only read says nothing, and the one before it counts.
    const read = { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 };
    expect(decided([...round(0, minutes), ...round(60, read)])).toMatchObject({ ttl: "5m" });
  });

  it("may be weighed again at a compaction, and knows the requests that were", () => {
    const { latched, evidence } = resumedTtlState([...round(0, hour), ...round(400, hour)], facts);
    expect(latched).toMatchObject({ isWeighed: true, source: "repl_main_thread" });
    expect(requestsSeen(evidence)).toBe(2);
  });

  it.each<[string, Partial<TtlFacts>, object]>([
    [
      "a person set another",
      { settings: { ...facts.settings, cacheTtl: "5m" } },
      { ttl: "5m", reason: "setting" },
    ],
    [
      "the account may not have it",
      { account: { isEligible: false, isInOverage: false } },
      { ttl: "5m", reason: "not-eligible" },
    ],
    [
      "the account is in overage",
      { account: { isEligible: true, isInOverage: true } },
      { ttl: "5m", reason: "overage" },
    ],
    ["the provider has none", { capabilities: { ttls: ["5m"] } }, { ttl: "5m", reason: "not-offered" }],
  ])("is not an hour where %s", (_, change, decision) => {
    expect(decided(round(0, hour), change)).toEqual(decision);
  });

  it("is an hour where a person set that, whatever was written", () => {
    expect(decided(round(0, minutes), { settings: { ...facts.settings, cacheTtl: "1h" } })).toEqual({
      ttl: "1h",
      reason: "setting",
    });
  });

  it.each([undefined, null, "1h", [], {}, { ephemeral_1h_input_tokens: "many" }])(
    "is decided anew where no response tells of one: %j",
    (creation) => {
      expect(resumedTtlState(round(0, creation), facts).latched).toBeUndefined();
    },
  );
});
